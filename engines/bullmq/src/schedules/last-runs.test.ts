import type { MirroredSchedule } from "@svc/agent";
import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { type Application, bullmqMajors, freshPrefix } from "../../test/applications.ts";
import { startCommanded } from "../../test/commanded.ts";
import { recordingAgent } from "../../test/recording-agent.ts";
import { queueNames } from "../redis/names.ts";
import { lastRunsKey } from "./last-runs.ts";
import { createSchedulerReader } from "./read-schedulers.ts";

const redisUrl = inject("redisUrl");
const everySecond = { pattern: "* * * * * *" };

function connect(url = redisUrl): Redis {
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** Runs at least one job of the scheduler, then none. */
async function runOnce(app: Application): Promise<void> {
  let ran = 0;
  const worker = await app.worker("mail", async () => {
    ran += 1;
  });
  await waitFor(() => ran > 0, { that: "a run" });
  await worker.close();
}

/** What an agent that starts now reports of the only schedule. */
async function reportedAtStart(major: (typeof bullmqMajors)[number], prefix: string): Promise<MirroredSchedule> {
  await using started = await startCommanded(major, { prefixes: [prefix] });
  const boot = await waitFor(() => started.agent.scheduleEvents.find(({ data }) => data.reason === "boot"));
  const schedules = boot.data.schedules as MirroredSchedule[];
  expect(schedules).toHaveLength(1);
  return schedules[0] as MirroredSchedule;
}

describe.each(bullmqMajors)("the last run of a pattern of BullMQ %s", (major) => {
  test("is known after a restart of the agent, also when the application creates the scheduler again", async () => {
    await using site = await startCommanded(major, { schedulesEveryMs: 100 });
    const { app } = site;
    const queue = app.queue("mail");
    await queue.schedule("tick", everySecond, { name: "tick" });
    expect((await reportedAtStart(major, app.prefix)).last_run_at).toBeUndefined();

    await runOnce(app);
    const redis = connect();
    const keys = `${app.prefix}:mail:repeat`;
    const next = await redis.zscore(keys, "tick");
    const startedMs = Number(await redis.hget(`${keys}:tick:${next}`, "timestamp"));
    const after = await reportedAtStart(major, app.prefix);
    expect(after.last_run_at).toBe(new Date(startedMs).toISOString());
    expect(after.total_runs).toBeGreaterThan(0);

    await queue.schedule("tick", { pattern: "0 0 3 1 1 *" }, { name: "tick", data: { changed: true } });
    const { next_run_at: _, ...again } = await reportedAtStart(major, app.prefix);
    expect(again).toMatchObject({ last_run_at: after.last_run_at, total_runs: after.total_runs });
    expect(again.kwargs).toEqual({ changed: true });

    for (const action of ["schedule.disable", "schedule.enable"]) {
      expect(await site.execute(action, { name: site.id("tick") })).toMatchObject({ status: "success" });
      expect((await reportedAtStart(major, app.prefix)).last_run_at).toBe(after.last_run_at);
    }

    const hash = lastRunsKey(queueNames(app.prefix, "mail", ""));
    expect(await redis.hlen(hash)).toBe(1);
    await queue.unschedule("tick");
    await waitFor(async () => (await redis.hlen(hash)) === 0, { that: "the removal of the kept time" });
  });

  test("is unknown when no agent has seen it and the application has created the scheduler again", async () => {
    await using site = await startCommanded(major);
    const queue = site.app.queue("mail");
    await queue.schedule("tick", everySecond, { name: "tick" });
    await runOnce(site.app);
    await reportedAtStart(major, site.app.prefix);
    await site.agent.stopAll();
    await runOnce(site.app);
    await queue.schedule("tick", everySecond, { name: "tick" });
    expect((await reportedAtStart(major, site.app.prefix)).last_run_at).toBeUndefined();
  });
});

test("the last run is read with a Redis user that may not write", async () => {
  const prefix = freshPrefix();
  const admin = connect();
  await admin.call("ACL", "SETUSER", prefix, "on", ">PASSWORD", `~${prefix}:*`, "-@all", "+@read", "+@connection");
  await admin.call("ACL", "SETUSER", prefix, "+info");
  onTestFinished(async () => {
    await admin.call("ACL", "DELUSER", prefix);
  });
  const names = queueNames(prefix, "mail", "");
  await admin.zadd(`${names.keyBase}repeat`, 2_000_000_000_000, "tick");
  await admin.hset(`${names.keyBase}repeat:tick`, { name: "tick", ic: 3, pattern: "0 3 * * *" });
  const job = { timestamp: 1_767_225_600_000, opts: JSON.stringify({ repeat: { count: 3 } }) };
  await admin.hset(`${names.keyBase}repeat:tick:2000000000000`, job);
  await admin.hset(lastRunsKey(names), "other", "1 1");
  const { host } = new URL(redisUrl);
  const reader = createSchedulerReader(
    connect(`redis://${prefix}:PASSWORD@${host}`),
    { priorities: [] },
    recordingAgent().context.log,
  );
  for (const _ of [1, 2])
    expect(await reader.readAll([names])).toMatchObject([{ total_runs: 2, last_run_at: "2026-01-01T00:00:00.000Z" }]);
  expect(await reader.read(names, "tick")).toMatchObject({ last_run_at: "2026-01-01T00:00:00.000Z" });
  expect(await admin.hgetall(lastRunsKey(names))).toEqual({ other: "1 1" });
  await admin.unlink(...(await admin.keys(`${prefix}:*`)));
});
