import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Application, bullmqMajors, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";
import type { BullmqOptions } from "../options.ts";

const redisUrl = inject("redisUrl");

describe.each(bullmqMajors)("an agent that was disconnected from BullMQ %s", (major) => {
  let app: Application;
  let agent: RecordingAgent;
  let redis: Redis;

  beforeEach(() => {
    app = startApplication(major, redisUrl);
    agent = recordingAgent();
    redis = new Redis(redisUrl);
  });

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
    redis.disconnect();
  });

  const id = (job: string) => `${app.prefix}:mail:${job}`;
  const adapter = (more: Partial<BullmqOptions> = {}) =>
    createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix], streamCap: false, ...more });
  const entriesAdded = async () => {
    const info = (await redis.xinfo("STREAM", `${app.prefix}:mail:events`)) as unknown[];
    return { added: Number(info[info.indexOf("entries-added") + 1]), length: Number(info[info.indexOf("length") + 1]) };
  };

  test("counts exactly the entries that were trimmed and rebuilds the tasks from stored jobs", async () => {
    await app.worker("mail", async (job) => {
      if (job.name === "bad") throw new Error("spoilt");
      return job.name;
    });
    await app.queue("mail").add("first", {}, { jobId: "before" });
    await agent.run(adapter());
    await agent.seen(id("before"), "task.succeeded");
    await agent.stopAll();
    const before = await entriesAdded();
    const { entriesAdded: read } = JSON.parse(agent.cursors.get(`${app.prefix}:mail`) ?? "{}");
    for (let n = 0; n < 60; n += 1)
      await app.queue("mail").add(n % 10 === 0 ? "bad" : "good", { n }, { jobId: `j${n}` });
    await app.queue("mail").add("later", {}, { jobId: "later", delay: 3_600_000 });
    await waitFor(async () => {
      const [good, bad] = [
        await redis.zcard(`${app.prefix}:mail:completed`),
        await redis.zcard(`${app.prefix}:mail:failed`),
      ];
      return good + bad === 61;
    });
    await redis.xtrim(`${app.prefix}:mail:events`, "MAXLEN", 40);
    const after = await entriesAdded();

    await agent.run(adapter());
    await waitFor(() => agent.losses.length > 0 && agent.kindsOf(id("later")).includes("sent"));
    await waitFor(() => agent.events.filter((event) => event.kind === "task.failed").length >= 6);

    expect(read).toBeLessThanOrEqual(before.added);
    expect(agent.losses).toEqual([{ count: after.added - after.length - read, reason: "stream_trimmed" }]);
    const ended = (kind: string) =>
      new Set(agent.events.filter((event) => event.kind === kind).map((event) => event.task_id));
    await waitFor(() => ended("task.succeeded").size === 55 && ended("task.failed").size === 6);
    expect(agent.dataOf(id("j10"), "task.failed")).toMatchObject({
      exception: "spoilt",
      task_name: "bad",
      reconciled: true,
    });
    expect(agent.dataOf(id("j10"), "task.started")).toMatchObject({ wait_ms: expect.any(Number) });
    expect(agent.dataOf(id("j10"), "task.sent")).toMatchObject({ kwargs: { n: 10 }, reconciled: true });
    expect(agent.dataOf(id("j11"), "task.succeeded")).toMatchObject({ result: "good", attempt: 0 });
    expect(agent.dataOf(id("later"), "task.sent")).toHaveProperty("eta");
    const ends = agent.events.filter((event) => event.kind === "task.succeeded" && event.task_id !== id("before"));
    expect(ends.length).toBe(54);
  });

  test("rebuilds the same events a second time", async () => {
    await app.worker("mail", async () => "done");
    await agent.run(adapter());
    await app.queue("mail").add("job", {}, { jobId: "before" });
    await agent.seen(id("before"), "task.succeeded");
    await agent.stopAll();
    const kept = new Map(agent.cursors);
    for (let n = 0; n < 30; n += 1) await app.queue("mail").add("job", {}, { jobId: `j${n}` });
    await waitFor(async () => (await redis.zcard(`${app.prefix}:mail:completed`)) === 31);
    await redis.xtrim(`${app.prefix}:mail:events`, "MAXLEN", 0);
    const rebuild = async () => {
      const from = agent.events.length;
      for (const [key, value] of kept) agent.cursors.set(key, value);
      await agent.run(adapter());
      await waitFor(() => new Set(agent.events.slice(from).map((event) => event.task_id)).size >= 30);
      await agent.stopAll();
      return agent.events
        .slice(from)
        .map((event) => event.id)
        .sort();
    };
    expect(await rebuild()).toEqual(await rebuild());
  });

  test("reports how long a job waited that began to wait earlier", async () => {
    await agent.run(adapter());
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await app.queue("mail").add("job", {}, { jobId: "b", delay: 300 });
    await agent.seen(id("b"), "task.sent");
    await agent.seen(id("a"), "task.received");
    await agent.stopAll();
    const addedMs = Number(await redis.hget(`${app.prefix}:mail:a`, "timestamp"));

    await agent.run(adapter());
    await app.worker("mail", async () => null);
    await agent.seen(id("a"), "task.succeeded");
    await agent.seen(id("b"), "task.succeeded");

    const started = agent.of(id("a")).find(({ kind }) => kind === "task.started");
    expect(started?.data.wait_ms).toBe(Date.parse(started?.occurred_at ?? "") - addedMs);
    expect(agent.dataOf(id("b"), "task.started")).toMatchObject({ wait_ms: expect.any(Number) });
  });

  test("keeps counting attempts of a job whose hash is removed on completion", async () => {
    const held = Promise.withResolvers<void>();
    await app.worker("mail", async (job) => {
      if (job.attemptsMade < 2) throw new Error("not yet");
      await held.promise;
    });
    await agent.run(adapter());
    await app.queue("mail").add("job", {}, { jobId: "a", attempts: 3, removeOnComplete: true });
    await waitFor(() => agent.kindsOf(id("a")).filter((kind) => kind === "started").length === 3);
    await agent.stopAll();
    held.resolve();
    await waitFor(async () => (await redis.exists(`${app.prefix}:mail:a`)) === 0);

    await agent.run(adapter());

    expect(await agent.seen(id("a"), "task.succeeded")).toMatchObject({ attempt: 2 });
  });

  test("finds a queue that appears while it runs within a second or so", async () => {
    await agent.run(adapter());
    await app.worker("other", async () => null);
    await app.queue("other").add("job", { n: 1 }, { jobId: "a" });
    await agent.seen(`${app.prefix}:other:a`, "task.succeeded");
    expect(agent.kindsOf(`${app.prefix}:other:a`)).toEqual(["sent", "received", "started", "succeeded"]);
  });

  test("can begin with new events only", async () => {
    await app.worker("mail", async () => null);
    await app.queue("mail").add("job", {}, { jobId: "old" });
    await waitFor(async () => (await redis.zcard(`${app.prefix}:mail:completed`)) === 1);
    await agent.run(adapter({ startAt: "now" }));
    await app.queue("mail").add("job", {}, { jobId: "new" });
    await agent.seen(id("new"), "task.succeeded");
    expect(agent.of(id("old"))).toEqual([]);
  });

  test("raises the cap of a stream again after the application reset it, and lowers none", async () => {
    await app.queue("mail").add("job", {});
    const cap = () => redis.hget(`${app.prefix}:mail:meta`, "opts.maxLenEvents");
    await agent.run(adapter({ streamCap: { entries: 50_000, maxBytes: 1e9 }, checkEveryMs: 500 }));
    await waitFor(async () => (await cap()) === "50000");
    await redis.hset(`${app.prefix}:mail:meta`, "opts.maxLenEvents", 10_000);
    await waitFor(async () => (await cap()) === "50000");
    await redis.hset(`${app.prefix}:mail:meta`, "opts.maxLenEvents", 70_000);
    await agent.stopAll();
    await agent.run(adapter({ streamCap: { entries: 60_000, maxBytes: 1e9 } }));
    expect(await cap()).toBe("70000");
  });
});
