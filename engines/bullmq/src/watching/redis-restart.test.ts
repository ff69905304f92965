import { type FaultyNetwork, type RedisServer, startFaultyNetwork, startRedis, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { type Application, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";

describe("a Redis that restarts under the side-car", () => {
  let server: RedisServer;
  let app: Application;
  let agent: RecordingAgent;

  let line: FaultyNetwork;

  async function begin(keeps: "nothing" | "snapshot") {
    server = await startRedis({ keeps });
    line = await startFaultyNetwork({ port: server.port });
    app = startApplication("6", server.url);
    agent = recordingAgent();
    await agent.run(createBullmqAdapter({ redis: `redis://127.0.0.1:${line.port}`, prefixes: [app.prefix] }));
  }

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
    await line.close();
    await server.stop();
  });

  const id = (job: string) => `${app.prefix}:mail:${job}`;

  test("returns empty: the side-car counts the tasks that will never end and continues", async () => {
    await begin("nothing");
    const gate = Promise.withResolvers<void>();
    await app.worker("mail", (job) => (job.name === "long" ? gate.promise : Promise.resolve()), { concurrency: 2 });
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await app.queue("mail").add("long", {}, { jobId: "b" });
    await app.queue("mail").add("job", {}, { jobId: "c", delay: 3_600_000 });
    await agent.seen(id("a"), "task.succeeded");
    await agent.seen(id("b"), "task.started");
    await agent.seen(id("c"), "task.sent");

    await server.restart();

    await waitFor(() => agent.losses.length > 0);
    expect(agent.losses).toEqual([{ count: 2, reason: "stream_replaced" }]);
    gate.resolve();
    await app.queue("mail").add("job", {}, { jobId: "d" });
    await agent.seen(id("d"), "task.succeeded");
    expect(agent.kindsOf(id("d"))).toEqual(["sent", "received", "started", "succeeded"]);
    expect(agent.losses.length).toBe(1);
  });

  test.each([
    { order: "before the application writes", first: 0 },
    { order: "after the application wrote more than was lost", first: 20 },
  ])("returns in an older state, seen $order: the side-car counts the lost tasks", async ({ first }) => {
    await begin("snapshot");
    const redis = new Redis(server.url);
    redis.on("error", () => {});
    await app.queue("mail").add("job", {}, { jobId: "kept" });
    await agent.seen(id("kept"), "task.received");
    await redis.save();
    for (let n = 0; n < 5; n += 1) await app.queue("mail").add("job", {}, { jobId: `lost-${n}` });
    await agent.seen(id("lost-4"), "task.received");

    line.down();
    await server.restart();
    for (let n = 0; n < first; n += 1) await app.queue("mail").add("job", {}, { jobId: `new-${n}` });
    line.heal();

    await waitFor(() => agent.losses.length > 0);
    expect(agent.losses).toEqual([{ count: 5, reason: "stream_rewound" }]);
    await app.queue("mail").add("job", {}, { jobId: "after" });
    await agent.seen(id("after"), "task.received");
    for (let n = 0; n < first; n += 1) expect(agent.kindsOf(id(`new-${n}`))).toEqual(["sent", "received"]);
    redis.disconnect();
  });
});
