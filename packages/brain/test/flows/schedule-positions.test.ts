import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { connectRaw, createRawPoller, rawEvents } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("a batch with schedule events that have no position", () => {
  let brain: TestBrain;
  beforeAll(async () => {
    brain = await startTestBrain();
  });
  afterAll(() => brain.stop());

  const credentials = async () => ({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id });
  const created = (scheduler: string, data: Record<string, unknown> = {}) => ({
    ...{ id: randomUUID(), kind: "schedule.created", engine: "bullmq", task_id: "" },
    occurred_at: new Date().toISOString(),
    data: { scheduler, schedule: { name: "a", task_name: "mail", kind: "cron", expression: "0 6 * * *" }, ...data },
  });
  const stream = { stream: { epoch: 1, sequence: 1 } };
  const storedIds = async (ids: readonly string[]) => {
    const { read } = brain.running.brain.database;
    return (await read.selectFrom("events").select("id").where("id", "in", ids).execute()).map(({ id }) => id);
  };

  test("is stored while its scheduler sends none", async () => {
    const agent = await connectRaw(await credentials());
    expect(await agent.ackOf(agent.sendEvents([created("old"), created("old")]))).toMatchObject({ accepted: 2 });
  });

  test("is refused over WebSocket once its scheduler has sent one, and is stored without them", async () => {
    const agent = await connectRaw(await credentials());
    await agent.ackOf(agent.sendEvents([created("ws", stream)]));
    const [task] = rawEvents(1);
    const late = created("ws");
    const refused = agent.sendEvents([late, task]);
    await agent.settle();
    expect(agent.frames.find(({ type }) => type === "error")).toMatchObject({
      id: `err_${refused}`,
      payload: { code: "scheduler_upgrade_required", message: expect.stringContaining("ws"), fatal: true },
    });
    expect(agent.frames.filter(({ payload }) => payload?.acked_id === refused)).toEqual([]);
    expect(await storedIds([late.id, task!.id!])).toEqual([]);
    expect(await agent.ackOf(agent.sendEvents([task, created("other")]))).toMatchObject({ accepted: 2 });
  });

  test("rejects its frame of an upload, with an error code", async () => {
    const agent = await createRawPoller(await credentials());
    const batch = (events: unknown[]) => agent.sign("event_batch", { events });
    expect((await agent.upload([batch([created("poll", stream)])])).body).toMatchObject({
      accepted: 1,
      error_code: null,
    });
    const answer = await agent.upload([batch([created("poll")]), batch(rawEvents(1))]);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        accepted: 1,
        rejected: 1,
        errors: [expect.stringContaining("poll")],
        error_code: "scheduler_upgrade_required",
      },
    });
  });
});
