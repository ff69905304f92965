import { type RedisServer, startRedis, waitFor } from "@svc/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { type Application, startApplication } from "../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../test/recording-agent.ts";
import { createBullmqAdapter } from "./adapter.ts";

describe("a Redis that restarts under the side-car", () => {
  let server: RedisServer;
  let app: Application;
  let agent: RecordingAgent;

  async function begin(keeps: "nothing" | "everything") {
    server = await startRedis({ keeps });
    app = startApplication("6", server.url);
    agent = recordingAgent();
    await agent.run(createBullmqAdapter({ redis: server.url, prefixes: [app.prefix] }));
  }

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
    await server.stop();
  });

  const id = (job: string) => `${app.prefix}:mail:${job}`;

  test("comes back empty: the side-car counts the tasks that will never end and goes on", async () => {
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

  test("comes back with its data: nothing is lost and nothing told twice", async () => {
    await begin("everything");
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.received");
    await server.kill();
    await server.restart();
    await app.worker("mail", async () => null);
    await app.queue("mail").add("job", {}, { jobId: "b" });

    await agent.seen(id("b"), "task.succeeded");

    expect(agent.kindsOf(id("a"))).toEqual(["sent", "received", "started", "succeeded"]);
    expect(agent.losses).toEqual([]);
  });

  test("is away when the side-car starts: start() returns and watching begins later", async () => {
    await begin("nothing");
    await agent.stopAll();
    await server.kill();
    await agent.run(createBullmqAdapter({ redis: server.url, prefixes: [app.prefix] }));
    expect(agent.warnings.join()).toMatch(/redis connection failed/);
    await server.restart();
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.received");
  });
});
