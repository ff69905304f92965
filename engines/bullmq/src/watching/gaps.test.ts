import { type FaultyNetwork, startFaultyNetwork, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Application, bullmqMajors, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";

const redisUrl = inject("redisUrl");

describe.each(bullmqMajors)("after a gap in a BullMQ %s stream", (major) => {
  let app: Application;
  let agent: RecordingAgent;
  let redis: Redis;
  let line: FaultyNetwork;

  beforeEach(async () => {
    app = startApplication(major, redisUrl);
    agent = recordingAgent();
    redis = new Redis(redisUrl);
    line = await startFaultyNetwork({ port: Number(new URL(redisUrl).port) });
  });

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
    await line.close();
    redis.disconnect();
  });

  const id = (job: string) => `${app.prefix}:mail:${job}`;
  const key = (rest: string) => `${app.prefix}:mail:${rest}`;
  const adapter = () =>
    createBullmqAdapter({ redis: `redis://127.0.0.1:${line.port}`, prefixes: [app.prefix], streamCap: false });
  const longAgo = Date.now() - 3_600_000;
  const last = (job: string) => agent.of(id(job)).at(-1);
  const loseStream = () => redis.xtrim(key("events"), "MAXLEN", 0);
  const doubled = () => {
    const ends = agent.events.filter(({ kind }) => kind === "task.succeeded").map(({ task_id }) => task_id);
    return ends.filter((task, index) => ends.indexOf(task) !== index);
  };

  /** Restarts the agent from its position, and waits until it has reported what it missed. */
  async function comeBack(): Promise<void> {
    const losses = agent.losses.length;
    await agent.run(adapter());
    await waitFor(() => agent.losses.length > losses);
  }

  test("rebuilds an urgent job that waits ahead of many old ones", async () => {
    for (let n = 0; n < 600; n += 1) await app.queue("mail").add("old", {}, { priority: 100, timestamp: longAgo });
    await app.queue("mail").add("job", {}, { jobId: "mark" });
    await agent.run(adapter());
    await agent.seen(id("mark"), "task.received");
    await agent.stopAll();
    await app.queue("mail").add("job", {}, { jobId: "urgent", priority: 1 });
    await app.queue("mail").add("job", {}, { jobId: "late", delay: 3_600_000 });
    await loseStream();

    await comeBack();

    expect(agent.kindsOf(id("urgent"))).toEqual(["sent", "received"]);
    expect(agent.kindsOf(id("late"))).toEqual(["sent"]);
  });

  test("rebuilds a job whose id is a word that also starts entries about no job", async () => {
    await app.queue("mail").add("job", {}, { jobId: "mark" });
    await agent.run(adapter());
    await agent.seen(id("mark"), "task.received");
    await agent.stopAll();
    await app.queue("mail").add("job", {}, { jobId: "event" });
    await loseStream();
    await redis.xadd(key("events"), "*", "event", "drained");

    await comeBack();

    expect(agent.kindsOf(id("event"))).toEqual(["sent", "received"]);
  });

  test("reports a job that went back to waiting, with the same event from every agent", async () => {
    const held = Promise.withResolvers<void>();
    const worker = await app.worker(
      "mail",
      async (job) => {
        if (job.name === "long") await held.promise;
        throw new Error("broken");
      },
      { concurrency: 5 },
    );
    const old = { timestamp: longAgo };
    const backoff = { type: "fixed", delay: 3_600_000 };
    await agent.run(adapter());
    await app.queue("mail").add("long", {}, { ...old, jobId: "failed-once", attempts: 3, backoff });
    await app.queue("mail").add("job", {}, { ...old, jobId: "mended" });
    await app.queue("mail").add("job", {}, { ...old, jobId: "promoted", delay: 7_200_000 });
    await app.queue("mail").add("job", {}, { ...old, jobId: "put-off", delay: 7_200_000 });
    await agent.seen(id("failed-once"), "task.started");
    await agent.seen(id("mended"), "task.failed");
    await agent.seen(id("put-off"), "task.sent");
    await agent.stopAll();
    await redis.hset(key("failed-once"), "processedOn", longAgo);
    held.resolve();
    await waitFor(async () => (await redis.hget(key("failed-once"), "atm")) === "1");
    await worker.close();
    await app.queue("mail").retry("mended");
    await app.queue("mail").promote("promoted");
    await loseStream();
    const other = recordingAgent();
    for (const [name, value] of agent.cursors) other.cursors.set(name, value);

    const putOffBefore = agent.of(id("put-off")).length;
    const from = agent.events.length;
    await comeBack();
    await other.run(adapter());
    await waitFor(() => other.losses.length > 0);
    await other.stopAll();

    expect(last("failed-once")).toMatchObject({
      kind: "task.retried",
      data: { attempt: 0, exception: "broken", reconciled: true },
    });
    expect(last("mended")).toMatchObject({ kind: "task.received", data: { attempt: 1 } });
    expect(last("promoted")).toMatchObject({ kind: "task.received", data: { attempt: 0 } });
    expect(agent.of(id("put-off")).length).toBe(putOffBefore);
    expect(other.events.map((event) => event.id)).toEqual(agent.events.slice(from).map((event) => event.id));
  });

  test("an agent that was offline reports no end twice", async () => {
    await agent.run(adapter());
    await app.worker("mail", async () => null, { concurrency: 10 });
    for (let n = 0; n < 100; n += 1) await app.queue("mail").add("job", {}, { jobId: `before-${n}` });
    await waitFor(() => agent.events.filter(({ kind }) => kind === "task.succeeded").length === 100);
    await agent.stopAll();
    for (let n = 0; n < 10; n += 1) await app.queue("mail").add("job", {}, { jobId: `later-${n}` });
    await waitFor(async () => (await redis.zcard(key("completed"))) === 110);
    await loseStream();

    await comeBack();

    for (let n = 0; n < 10; n += 1) expect(agent.kindsOf(id(`later-${n}`))).toContain("succeeded");
    expect(doubled()).toEqual([]);
  });

  test("an agent that lost its connection reports nothing twice", async () => {
    await agent.run(adapter());
    const worker = await app.worker("mail", async () => null, { concurrency: 10 });
    for (let n = 0; n < 50; n += 1) await app.queue("mail").add("job", {}, { jobId: `before-${n}` });
    await waitFor(() => agent.events.filter(({ kind }) => kind === "task.succeeded").length === 50);
    await worker.pause();
    await app.queue("mail").add("job", {}, { jobId: "waiting" });
    await agent.seen(id("waiting"), "task.received");

    line.down();
    await app.queue("mail").add("job", {}, { jobId: "later" });
    await loseStream();
    line.heal();

    await waitFor(() => agent.losses.length > 0 && agent.of(id("later")).length > 0);
    expect(doubled()).toEqual([]);
    expect(agent.kindsOf(id("waiting"))).toEqual(["sent", "received"]);
    expect(agent.kindsOf(id("later"))).toEqual(["sent", "received"]);
  });
});
