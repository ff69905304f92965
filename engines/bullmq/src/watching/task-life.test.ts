import { afterEach, describe, expect, inject, test } from "vitest";
import { type Application, bullmqMajors, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";

const redisUrl = inject("redisUrl");

describe.each(bullmqMajors)("the life of a BullMQ %s job", (major) => {
  let app: Application;
  let agent: RecordingAgent;

  async function begin() {
    app = startApplication(major, redisUrl);
    agent = recordingAgent();
    await agent.run(createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix] }));
    return { app, agent, id: (queue: string, job: string) => `${app.prefix}:${queue}:${job}` };
  }

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
  });

  test("a success is reported from sending to result", async () => {
    const { app, agent, id } = await begin();
    await app.worker("mail", async (job) => ({ sent: (job.data as { to: string }).to }), { name: "w1" });
    await app.queue("mail").add("welcome", { to: "someone" }, { jobId: "a", priority: 5 });

    const succeeded = await agent.seen(id("mail", "a"), "task.succeeded");

    expect(agent.kindsOf(id("mail", "a"))).toEqual(["sent", "received", "started", "succeeded"]);
    expect(agent.dataOf(id("mail", "a"), "task.sent")).toMatchObject({
      task_name: "welcome",
      queue: `${app.prefix}:mail`,
      args: [],
      kwargs: { to: "someone" },
      priority: "high",
      max_attempts: 1,
      attempt: 0,
    });
    expect(agent.dataOf(id("mail", "a"), "task.started")).toMatchObject({ worker: "w1", wait_ms: expect.any(Number) });
    expect(succeeded).toMatchObject({
      task_name: "welcome",
      worker: "w1",
      result: { sent: "someone" },
      runtime_ms: expect.any(Number),
    });
  });

  test.each([
    { backoff: 40, how: "after a backoff", between: ["received"] },
    { backoff: 0, how: "immediately", between: [] },
  ])("a failed attempt that is retried $how is a retry, the last one a failure", async ({ backoff, between }) => {
    const { app, agent, id } = await begin();
    await app.worker("mail", async (job) => {
      throw new Error(`no luck ${job.attemptsMade}`);
    });
    await app.queue("mail").add("welcome", {}, { jobId: "a", attempts: 3, ...(backoff && { backoff }) });

    const failed = await agent.seen(id("mail", "a"), "task.failed");

    expect(agent.kindsOf(id("mail", "a"))).toEqual([
      ...["sent", "received"],
      ...["started", "retried", ...between],
      ...["started", "retried", ...between],
      ...["started", "failed"],
    ]);
    const attempts = agent.of(id("mail", "a")).map((event) => [event.kind, event.data.attempt]);
    expect(attempts.filter(([kind]) => kind === "task.started").map(([, attempt]) => attempt)).toEqual([0, 1, 2]);
    expect(attempts.filter(([kind]) => kind === "task.retried").map(([, attempt]) => attempt)).toEqual([0, 1]);
    expect(agent.dataOf(id("mail", "a"), "task.retried")).toMatchObject({
      exception: "no luck 0",
      traceback: expect.stringContaining("no luck 0"),
      retry_count: 1,
    });
    expect(failed).toMatchObject({
      attempt: 2,
      exception: "no luck 2",
      traceback: expect.stringContaining("no luck 2"),
      task_name: "welcome",
    });
  });

  test("a job that is removed when it completes keeps name and result", async () => {
    const { app, agent, id } = await begin();
    await app.worker("mail", async () => "done");
    await app.queue("mail").add("welcome", { n: 1 }, { jobId: "a", removeOnComplete: true });
    expect(await agent.seen(id("mail", "a"), "task.succeeded")).toMatchObject({
      task_name: "welcome",
      result: "done",
      runtime_ms: expect.any(Number),
    });
  });

  test("removing a waiting job revokes it, removing a finished one has no event", async () => {
    const { app, agent, id } = await begin();
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("mail", "a"), "task.received");
    await app.queue("mail").remove("a");
    await agent.seen(id("mail", "a"), "task.revoked");

    await app.worker("mail", async () => null);
    await app.queue("mail").add("welcome", {}, { jobId: "b" });
    await agent.seen(id("mail", "b"), "task.succeeded");
    await app.queue("mail").remove("b");
    await app.queue("mail").add("welcome", {}, { jobId: "c" });
    await agent.seen(id("mail", "c"), "task.succeeded");

    expect(agent.kindsOf(id("mail", "b"))).toEqual(["sent", "received", "started", "succeeded"]);
  });

  test("a flow is a tree across queues", async () => {
    const { app, agent, id } = await begin();
    for (const queue of ["orders", "parts"]) await app.worker(queue, async (job) => job.name);
    await app.addFlow({
      name: "order",
      queueName: "orders",
      opts: { jobId: "root" },
      children: [
        {
          name: "box",
          queueName: "parts",
          opts: { jobId: "middle" },
          children: [{ name: "screw", queueName: "parts", opts: { jobId: "leaf" } }],
        },
      ],
    });

    await agent.seen(id("orders", "root"), "task.succeeded");

    expect(agent.dataOf(id("parts", "leaf"), "task.sent")).toMatchObject({
      parent_task_id: id("parts", "middle"),
      root_task_id: id("orders", "root"),
    });
    expect(agent.dataOf(id("parts", "middle"), "task.sent")).toMatchObject({
      parent_task_id: id("orders", "root"),
      root_task_id: id("orders", "root"),
    });
    expect(agent.dataOf(id("orders", "root"), "task.sent")).not.toHaveProperty("root_task_id");
    expect(agent.kindsOf(id("orders", "root"))).toEqual(["sent", "received", "started", "succeeded"]);
  });

  test("a job that names the task it retries reports it", async () => {
    const { app, agent, id } = await begin();
    await app.queue("mail").add("welcome", {}, { jobId: "b", svcRetriedFrom: id("mail", "a") });
    expect(await agent.seen(id("mail", "b"), "task.sent")).toMatchObject({ retried_from: id("mail", "a") });
  });
});
