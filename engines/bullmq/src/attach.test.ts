import { hostname } from "node:os";
import type { EngineAdapter, EventSink } from "@svc/agent";
import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { type Application, startApplication } from "../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../test/recording-agent.ts";
import { createBullmqAdapter } from "./adapter.ts";
import { attachBullmq } from "./attach.ts";
import type { AttachedWorker } from "./control/workers.ts";

const redisUrl = inject("redisUrl");

describe("attached to the processes of an application", () => {
  let app: Application;
  let agents: RecordingAgent[];

  beforeEach(() => {
    app = startApplication("6", redisUrl);
    agents = [recordingAgent(), recordingAgent()];
  });

  afterEach(async () => {
    for (const agent of agents) await agent.stopAll();
    await app.close();
  });

  const id = (job: string) => `${app.prefix}:mail:${job}`;

  test("one process reads, and another continues from its position without counting a loss", async () => {
    const worker = await app.worker("mail", async () => null, { name: "w1" });
    const [first, second] = agents as [RecordingAgent, RecordingAgent];
    const attach = () => attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [worker] });
    await first.run(attach());
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await first.seen(id("a"), "task.succeeded");
    await second.run(attach());
    await app.queue("mail").add("job", {}, { jobId: "b" });
    await first.seen(id("b"), "task.succeeded");
    expect(second.events).toEqual([]);

    await first.stopAll();
    await app.queue("mail").add("job", {}, { jobId: "c" });

    await second.seen(id("c"), "task.succeeded");
    expect(second.losses).toEqual([]);
    // Events that the first process may not have delivered are sent again with the same ids.
    const sent = new Set(first.events.map((event) => event.id));
    const again = second.events.filter((event) => event.task_id !== id("c"));
    expect(again.every((event) => sent.has(event.id))).toBe(true);
  });

  test("entries that a process read but did not deliver are reported by the next one, however old they are", async () => {
    const redis = new Redis(redisUrl);
    const key = `${app.prefix}:mail`;
    await redis.hset(`${key}:meta`, { version: "bullmq:6.7.0" });
    await redis.xadd(`${key}:events`, "1000-0", "event", "added", "jobId", "old", "name", "job");
    redis.disconnect();
    const [first, second] = agents as [RecordingAgent, RecordingAgent];
    const attach = () => attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [] });
    first.isDelivering = false;
    await first.run(attach());
    await app.queue("mail").add("job", {}, { jobId: "new" });
    await first.seen(id("new"), "task.received");
    await first.stopAll();

    await second.run(attach());

    await second.seen(id("new"), "task.received");
    expect(second.events.map((event) => event.id)).toEqual(first.events.map((event) => event.id));
    expect(second.kindsOf(id("old"))).toEqual(["sent"]);
    expect(second.losses).toEqual([]);
  });

  test("a backlog is read in small parts, each when the agent has capacity for it", async () => {
    const redis = new Redis(redisUrl);
    const backlog = redis.pipeline();
    for (let queue = 0; queue < 60; queue += 1) {
      const key = `${app.prefix}:q${queue}`;
      backlog.hset(`${key}:meta`, { version: "bullmq:6.7.0" });
      for (let job = 0; job < 40; job += 1)
        backlog.xadd(`${key}:events`, "*", "event", "added", "jobId", `${job}`, "name", "job");
    }
    await backlog.exec();
    redis.disconnect();
    const [agent] = agents as [RecordingAgent, RecordingAgent];
    const { sink } = agent.context;
    const parts = [0];
    const watched: EventSink = {
      ...sink,
      emit(events, cursor) {
        parts.push((parts.pop() ?? 0) + events.filter(({ kind }) => kind.startsWith("task.")).length);
        sink.emit(events, cursor);
      },
      ready() {
        parts.push(0);
        return sink.ready();
      },
    };
    const adapter = attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [] });
    onTestFinished(() => adapter.stop());

    await adapter.start({ ...agent.context, sink: watched });

    await waitFor(() => agent.events.length === 60 * 40);
    expect(Math.max(...parts)).toBeLessThanOrEqual(500);
  });

  test("makes the same events as the side-car", async () => {
    const worker = await app.worker("mail", async () => null);
    const [inside, outside] = agents as [RecordingAgent, RecordingAgent];
    await inside.run(attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [worker] }));
    await outside.run(createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix] }));
    await app.queue("mail").add("job", {}, { jobId: "a" });
    for (const agent of agents) await agent.seen(id("a"), "task.succeeded");
    expect(inside.events.map((event) => event.id)).toEqual(outside.events.map((event) => event.id));
  });

  test("every process reports the details of its own workers", async () => {
    const named = await app.worker("mail", async () => null, { name: "w1", concurrency: 7 });
    const nameless = await app.worker("mail", async () => null);
    await app.worker("mail", async () => null, { name: "without-agent" });
    const [first, second] = agents as [RecordingAgent, RecordingAgent];
    const reading = await first.run(attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [named] }));
    const other = await second.run(attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [nameless] }));

    const queue = `${app.prefix}:mail`;
    await waitFor(async () => Object.keys((await reading.snapshot()).queue_depths ?? {}).length === 1);
    expect(await reading.snapshot()).toMatchObject({
      queue_consumers: { [queue]: 3 },
      worker_details: {
        w1: { hostname: hostname(), pid: process.pid, concurrency: 7, active_queues: [queue] },
        "without-agent": { active_queues: [queue] },
      },
    });
    expect(await other.snapshot()).toEqual({
      worker_details: { [`${hostname()}:${process.pid}:${queue}`]: expect.objectContaining({ concurrency: 1 }) },
    });
  });

  test("releases the lease when it stops", async () => {
    const worker = await app.worker("mail", async () => null);
    const redis = new Redis(redisUrl);
    const [agent] = agents as [RecordingAgent, RecordingAgent];
    await agent.run(attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [worker] }));
    expect(await redis.keys(`${app.prefix}:svc-lease:*`)).toHaveLength(1);
    await agent.stopAll();
    expect(await redis.keys(`${app.prefix}:svc-lease:*`)).toEqual([]);
    redis.disconnect();
  });

  test("takes a lost lease again, and stops reading while another process holds it", async () => {
    await app.queue("mail").add("job", {}, { jobId: "a" });
    const redis = new Redis(redisUrl);
    onTestFinished(() => redis.disconnect());
    const [agent] = agents as [RecordingAgent, RecordingAgent];
    const adapter = attachBullmq({ redis: redisUrl, prefixes: [app.prefix], workers: [] });
    onTestFinished(() => adapter.stop());
    const turns: string[] = [];
    const info = (message: string) => void (message.startsWith("this process now reads") && turns.push(message));
    await adapter.start({ ...agent.context, log: { ...agent.context.log, info } });
    await agent.seen(id("a"), "task.received");
    const isReading = async () => (await adapter.snapshot()).queue_depths !== undefined;
    const [lease = ""] = await redis.keys(`${app.prefix}:svc-lease:*`);

    await redis.del(lease);
    await waitFor(() => redis.exists(lease));
    await app.queue("mail").add("job", {}, { jobId: "b" });
    await agent.seen(id("b"), "task.received");
    expect(turns).toHaveLength(1);

    await redis.set(lease, "another process");
    await waitFor(async () => !(await isReading()));
    await redis.del(lease);
    await waitFor(isReading);
    expect(turns).toHaveLength(2);
  });

  test("processes that watch different prefixes or queues, or report as different agents, do not wait for each other", async () => {
    const other = startApplication("6", redisUrl);
    onTestFinished(() => other.close());
    const [mail, bills] = [await app.worker("mail", async () => null), await other.worker("bills", async () => null)];
    const of = (workers: readonly AttachedWorker[], queues?: string[]) =>
      attachBullmq({ redis: redisUrl, workers, ...(queues && { queues }) });
    const watching: [RecordingAgent, EngineAdapter, string][] = [
      [recordingAgent(), of([mail]), id("a")],
      [recordingAgent(), of([mail, bills]), `${other.prefix}:bills:a`],
      [recordingAgent(), of([mail], ["orders"]), `${app.prefix}:orders:a`],
      [recordingAgent("another"), of([mail]), id("a")],
    ];
    agents.push(...watching.map(([agent]) => agent));
    for (const [agent, adapter] of watching) await agent.run(adapter);

    for (const name of ["mail", "orders"]) await app.queue(name).add("job", {}, { jobId: "a" });
    await other.queue("bills").add("job", {}, { jobId: "a" });

    for (const [agent, , taskId] of watching) await agent.seen(taskId, "task.received");
  });
});
