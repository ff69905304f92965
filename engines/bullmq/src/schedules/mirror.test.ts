import type { MirroredSchedule } from "@svc/agent";
import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors, freshPrefix, startApplication } from "../../test/applications.ts";
import { startCommanded } from "../../test/commanded.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { attachBullmq } from "../attach.ts";
import { queueNames } from "../redis/names.ts";
import { createSchedulerReader } from "./read-schedulers.ts";

const hour = 3_600_000;
const fast = { schedulesEveryMs: 100 };

const booted = (agent: RecordingAgent) =>
  waitFor(() => agent.scheduleEvents.find(({ data }) => data.reason === "boot"), { that: "a boot snapshot" });
const reported = (agent: RecordingAgent, kind: string, name: string) =>
  waitFor(
    () =>
      agent.scheduleEvents.findLast(
        (event) =>
          event.kind === kind && [event.data.name, (event.data.schedule as { name?: string })?.name].includes(name),
      )?.data,
    { that: `${kind} of ${name}` },
  );

describe.each(bullmqMajors)("the mirror of BullMQ %s", (major) => {
  test("reports schedulers that the application adds, changes and removes", async () => {
    await using commanded = await startCommanded(major, fast);
    const { app, agent, adapter } = commanded;
    expect((await booted(agent)).data).toMatchObject({ part: 1, parts: 1, schedules: [], stream: { sequence: 1 } });
    const name = commanded.id("nightly");
    const queue = app.queue("mail");

    await queue.schedule(
      "nightly",
      { pattern: "0 3 * * *", tz: "Europe/Berlin" },
      { name: "report", data: { of: "day" } },
    );
    const created = await reported(agent, "schedule.created", name);
    expect(created).toMatchObject({
      scheduler: adapter.scheduler?.name,
      schedule: {
        ...{ name, external_id: "nightly", task_name: "report", queue: `${app.prefix}:mail`, priority: "normal" },
        ...{ kind: "cron", expression: "0 3 * * *", timezone: "Europe/Berlin", args: [], kwargs: { of: "day" } },
        ...{ is_enabled: true, total_runs: 0, next_run_at: expect.stringMatching(/Z$/) },
      },
    });

    await queue.schedule("nightly", { every: hour }, { name: "report", opts: { priority: 5 } });
    const updated = await reported(agent, "schedule.updated", name);
    expect(updated.schedule).toMatchObject({ kind: "interval", expression: "3600", kwargs: {}, priority: "high" });

    await queue.unschedule("nightly");
    await reported(agent, "schedule.deleted", name);
  });

  test("begins with all schedulers, also those that were disabled by an earlier agent", async () => {
    const prefix = freshPrefix();
    await using first = await startCommanded(major, { prefixes: [prefix] });
    await first.app.queue("mail").schedule("nightly", { pattern: "0 3 * * *" }, { name: "report" });
    await first.app.queue("mail").schedule("hourly", { every: hour }, { name: "tick" });
    await first.execute("schedule.disable", { name: first.id("nightly") });
    await first.adapter.stop();

    await using second = await startCommanded(major, { prefixes: [prefix] });

    const { schedules } = (await booted(second.agent)).data;
    expect((schedules as MirroredSchedule[]).map(({ name, is_enabled }) => [name, is_enabled])).toEqual([
      [first.id("hourly"), true],
      [first.id("nightly"), false],
    ]);
    const place = ({ agent }: { agent: RecordingAgent }) => agent.scheduleEvents[0]?.data.stream as { epoch: number };
    expect(place(second).epoch).toBeGreaterThan(place(first).epoch);
  });

  test("counts runs, and gives no next run to a scheduler that has reached its limit", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent } = commanded;
    await app.queue("mail").schedule("twice", { every: 50, limit: 2 }, { name: "tick" });
    await app.queue("mail").schedule("hourly", { every: hour }, { name: "tick" });
    await app.worker("mail", async () => null);
    const ran = () => agent.events.filter(({ kind }) => kind === "task.succeeded").length;
    await waitFor(() => ran() === 3);

    await commanded.execute("schedule.resync", {});

    const snapshot = agent.scheduleEvents.find(({ data }) => data.reason === "command");
    const [hourly, twice] = ((snapshot?.data.schedules ?? []) as MirroredSchedule[]).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    expect(hourly).toMatchObject({ total_runs: 1, is_enabled: true });
    expect(Date.parse(hourly?.next_run_at ?? "") - Date.parse(hourly?.last_run_at ?? "")).toBe(hour);
    expect(twice).toMatchObject({ external_id: "twice", total_runs: 2, is_enabled: true });
    expect(twice).not.toHaveProperty("next_run_at");
  });

  test("shortens large inputs", async () => {
    await using commanded = await startCommanded(major, fast);
    const { app, agent } = commanded;
    const data = { texts: Array.from({ length: 50 }, () => "x".repeat(2000)) };
    await app.queue("mail").schedule("large", { every: hour }, { name: "tick", data });

    const { schedule } = await reported(agent, "schedule.created", commanded.id("large"));

    expect(JSON.stringify(schedule).length).toBeLessThan(20_000);
    expect(JSON.stringify(schedule)).toContain("xxx");
  });
});

test("of the processes of an application, one reports, and any may change schedules", async () => {
  const app = startApplication("6", inject("redisUrl"));
  const agents = [recordingAgent(), recordingAgent()];
  onTestFinished(async () => {
    await Promise.all(agents.map((agent) => agent.stopAll()));
    await app.close();
  });
  await app.queue("mail").schedule("nightly", { pattern: "0 3 * * *" }, { name: "report" });
  const options = { redis: inject("redisUrl"), prefixes: [app.prefix], workers: [], ...fast };
  const [holder, other] = [attachBullmq(options), attachBullmq(options)];
  await agents[0]?.run(holder);
  await booted(agents[0] as RecordingAgent);
  await agents[1]?.run(other);
  const name = `${app.prefix}:mail:nightly`;
  const command = { id: "one", engine: "bullmq", target: {}, parameters: { name }, timeoutSeconds: 60 };

  expect(await other.execute?.({ ...command, action: "schedule.disable" })).toMatchObject({ status: "success" });
  expect(await other.execute?.({ ...command, action: "schedule.resync" })).toMatchObject({ status: "success" });

  expect(agents.map((agent) => agent.scheduleEvents.filter(({ data }) => data.reason === "boot").length)).toEqual([
    1, 0,
  ]);
  expect((agents[1] as RecordingAgent).scheduleEvents.map(({ data }) => data)).toMatchObject([
    { schedule: { name, is_enabled: false } },
    { schedules: [{ name, is_enabled: false }] },
  ]);
  await reported(agents[0] as RecordingAgent, "schedule.updated", name); // its own comparison finds the change too
});

test("the older repeatable jobs of BullMQ 5, and schedulers with too long names, are not reported", async () => {
  await using commanded = await startCommanded("5", fast);
  const { app, agent } = commanded;
  await app.queue("mail").add("old", {}, { repeat: { every: hour } });
  await app.queue("mail").schedule("x".repeat(200), { every: hour }, { name: "tick" });
  await app.queue("mail").schedule("new", { every: hour }, { name: "tick" });

  await reported(agent, "schedule.created", commanded.id("new"));
  await commanded.execute("schedule.resync", {});

  const snapshot = agent.scheduleEvents.findLast(({ data }) => data.reason === "command");
  expect(snapshot?.data.schedules).toEqual([expect.objectContaining({ external_id: "new" })]);
});

test("at most 10,000 schedulers are read, in bounded steps", async () => {
  const redis = new Redis(inject("redisUrl"));
  const prefix = freshPrefix();
  const agent = recordingAgent();
  onTestFinished(() => redis.disconnect());
  const names = ["mail", "bills"].map((queue) => queueNames(prefix, queue, ""));
  for (const { keyBase } of names) {
    const pipeline = redis.pipeline();
    for (let n = 0; n < 6000; n += 1) {
      pipeline.zadd(`${keyBase}repeat`, n, `s${n}`);
      pipeline.hset(`${keyBase}repeat:s${n}`, { name: "tick", ic: 1, every: hour });
    }
    await pipeline.exec();
  }
  const reader = createSchedulerReader(redis, { priorities: [] }, agent.context.log);

  expect((await reader.readAll(names.slice(0, 1))).length).toBe(6000);
  for (const _ of [1, 2]) expect((await reader.readAll(names)).length).toBe(10_000);

  expect(agent.warnings).toEqual([expect.stringContaining("too many job schedulers")]);
  await redis.unlink(...(await redis.keys(`${prefix}:*`)));
});
