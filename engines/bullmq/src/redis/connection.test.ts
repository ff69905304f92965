import { type FaultyNetwork, type RedisServer, startFaultyNetwork, startRedis, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Application, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";

describe("the connection to Redis", () => {
  let server: RedisServer;
  let line: FaultyNetwork;
  let admin: Redis;
  let agent: RecordingAgent;
  let app: Application;

  beforeEach(async () => {
    server = await startRedis();
    line = await startFaultyNetwork({ port: server.port });
    admin = new Redis(server.url);
    agent = recordingAgent();
    app = startApplication("6", server.url);
  });

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
    admin.disconnect();
    await line.close();
    await server.stop();
  });

  const watch = (login = "") =>
    agent.run(createBullmqAdapter({ redis: `redis://${login}127.0.0.1:${line.port}`, prefixes: [app.prefix] }));

  test.each([
    { what: "a wrong password", login: ":hunter2@", reason: "WRONGPASS" },
    { what: "no password", login: "", reason: "NOAUTH" },
  ])("is refused for $what: the log says so once and without it", async ({ login, reason }) => {
    await admin.config("SET", "requirepass", "right");
    await watch(login);
    await waitFor(() => agent.warnings.some((warning) => warning.includes(reason)));
    const attempts = await refusals();
    await waitFor(async () => (await refusals()) > attempts + 3);
    expect(agent.warnings.filter((warning) => warning.includes(`"events","reason":"${reason}"`)).length).toBe(1);
    expect(agent.warnings.join()).not.toContain("hunter2");
  });

  async function refusals(): Promise<number> {
    return Number(/total_connections_received:(\d+)/.exec(await admin.info("stats"))?.[1]);
  }

  test("is silent: the side-car notices, logs it in plain words, and continues from its position", async () => {
    await watch();
    await app.worker("mail", async () => null);
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await agent.seen(`${app.prefix}:mail:a`, "task.succeeded");

    line.blackhole();
    await app.queue("mail").add("job", {}, { jobId: "b" });
    await waitFor(() => agent.warnings.some((warning) => /no answer within 1[05] s/.test(warning)));
    line.heal();

    await agent.seen(`${app.prefix}:mail:b`, "task.succeeded");
    expect(agent.kindsOf(`${app.prefix}:mail:b`)).toEqual(["sent", "received", "started", "succeeded"]);
    expect(agent.losses).toEqual([]);
    expect(agent.warnings.join()).not.toContain("maxRetriesPerRequest");
  });
});
