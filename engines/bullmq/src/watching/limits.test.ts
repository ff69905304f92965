import { type RedisServer, startRedis, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Application, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";
import { FactsMemory } from "../jobs/job-facts.ts";
import type { BullmqOptions } from "../options.ts";
import { queueNames } from "../redis/names.ts";
import type { QueueWatch } from "../stream/stream-position.ts";
import { createSnapshot } from "./snapshot.ts";

describe("at its limits, a side-car", () => {
  let server: RedisServer;
  let redis: Redis;
  let app: Application;
  let agent: RecordingAgent;

  beforeEach(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    app = startApplication("6", server.url);
    agent = recordingAgent();
  });

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
    redis.disconnect();
    await server.stop();
  });

  const watch = (more: Partial<BullmqOptions> = {}) =>
    agent.run(createBullmqAdapter({ redis: server.url, prefixes: [app.prefix], ...more }));
  const id = (job: string) => `${app.prefix}:mail:${job}`;

  test("counts events of a task whose id is too long, and continues", async () => {
    await app.queue("mail").add("job", {}, { jobId: "x".repeat(200) });
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await watch();
    await agent.seen(id("a"), "task.received");
    expect(agent.losses).toEqual([{ count: 2, reason: "task_id_too_long" }]);
  });

  test("counts an entry that it cannot read, and continues", async () => {
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await redis.xadd(`${app.prefix}:mail:events`, "*", "event", "delayed", "jobId", "b", "delay", "9007199254740991");
    await app.queue("mail").add("job", {}, { jobId: "c" });
    await watch();
    await agent.seen(id("c"), "task.received");
    expect(agent.losses).toEqual([{ count: 1, reason: "unreadable_entry" }]);
  });

  test("raises the cap of a stream less where results are large", async () => {
    const cap = async () => Number(await redis.hget(`${app.prefix}:mail:meta`, "opts.maxLenEvents"));
    await app.worker("mail", async () => "x".repeat(2000));
    await watch({ streamCap: { entries: 50_000, maxBytes: 20_000_000 }, checkEveryMs: 500 });
    for (let n = 0; n < 50; n += 1) await app.queue("mail").add("job", {}, { jobId: `j${n}` });
    await agent.seen(id("j49"), "task.succeeded");
    await redis.hset(`${app.prefix}:mail:meta`, "opts.maxLenEvents", 10_000);
    await waitFor(async () => (await cap()) > 10_000);
    expect(await cap()).toBeLessThan(50_000);
  });

  test("drops a removed queue, forgets its position, and finds it again", async () => {
    await watch({ checkEveryMs: 500 });
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.received");
    await app.queue("mail").obliterate();
    await redis.del(`${app.prefix}:mail:meta`, `${app.prefix}:mail:events`);
    await waitFor(() => !agent.cursors.has(`${app.prefix}:mail`));
    const losses = [...agent.losses];

    const again = startApplication("6", server.url, app.prefix);
    await again.queue("mail").add("job", {}, { jobId: "b" });
    await agent.seen(id("b"), "task.received");

    expect(agent.losses).toEqual(losses);
    await again.close();
  });

  test("reports the depths of more queues than fit into one report in turns", async () => {
    const names = Array.from({ length: 1030 }, (_, n) => queueNames(app.prefix, `q${n}`, ""));
    const settings = { prefixes: [app.prefix], namespace: "" };
    const snapshot = createSnapshot({ redis, settings, memory: new FactsMemory(1000), log: agent.context.log });
    const watches = names.map((queue) => ({ names: queue }) as QueueWatch);
    const reportedQueues = async () => Object.keys((await snapshot(watches)).queue_depths ?? {});
    expect([(await reportedQueues()).length, await reportedQueues(), (await reportedQueues()).length]).toEqual([
      1024,
      names.slice(1024).map(({ label }) => label),
      1024,
    ]);
  });

  test("logs once that there are more queues than it can watch", async () => {
    const pipeline = redis.pipeline();
    for (let n = 0; n < 5003; n += 1) pipeline.hset(`${app.prefix}:q${n}:meta`, "version", "bullmq:6.7.0");
    await pipeline.exec();
    const scans = async () => Number(/cmdstat_scan:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1]);
    await watch({ discoverEveryMs: 100 });
    await waitFor(() => agent.warnings.some((warning) => warning.startsWith("too many queues")));
    const from = await scans();
    await waitFor(async () => (await scans()) > from + 30);
    expect(agent.warnings.filter((warning) => warning.startsWith("too many queues")).length).toBe(1);
  });
});
