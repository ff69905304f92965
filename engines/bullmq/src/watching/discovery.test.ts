import { type RedisServer, startRedis, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Application, freshPrefix, startApplication } from "../../test/applications.ts";
import { recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";
import { queueOfClientName, readWorkerConnections } from "../redis/client-list.ts";
import { createDiscovery } from "./discovery.ts";

describe("discovering queues among many keys", () => {
  let server: RedisServer;
  let redis: Redis;
  let app: Application;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    const pipeline = redis.pipeline();
    for (let n = 0; n < 40_000; n += 1) pipeline.set(`filler:${n}`, "x");
    await pipeline.exec();
  });

  afterEach(() => app.close());

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const { log } = recordingAgent().context;

  test("finds a queue with a worker in the first scan, every other one within a full round, at a bounded cost", async () => {
    app = startApplication("6", server.url);
    await app.worker("with-worker", async () => null);
    await app.queue("without-worker").add("job", {});
    await waitFor(async () => /name=\S+:\S+/.test(String(await redis.client("LIST"))));
    const scan = createDiscovery(redis, [app.prefix], log);

    await redis.config("RESETSTAT");
    expect(await scan()).toContainEqual(expect.objectContaining({ prefix: app.prefix, queue: "with-worker" }));
    const calls = /cmdstat_scan:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1];
    expect(Number(calls)).toBeLessThanOrEqual(10);

    let scans = 0;
    while (!(await scan()).some(({ queue }) => queue === "without-worker")) scans += 1;
    expect(scans).toBeLessThan(10);
  });

  test("takes the characters of a prefix literally", async () => {
    app = startApplication("6", server.url, `${freshPrefix()}[a]*`);
    await app.queue("mail").add("job", {});
    const scan = createDiscovery(redis, [app.prefix], log);
    await waitFor(async () => (await scan()).some(({ prefix, queue }) => prefix === app.prefix && queue === "mail"));
  });

  test("watches a queue of an unknown version, but writes nothing to it", async () => {
    app = startApplication("6", server.url);
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await redis.hset(`${app.prefix}:mail:meta`, "version", "bullmq:9.0.0");
    const agent = recordingAgent();
    await agent.run(createBullmqAdapter({ redis: server.url, prefixes: [app.prefix], queues: ["mail"] }));
    await agent.seen(`${app.prefix}:mail:a`, "task.received");
    await agent.stopAll();
    expect(await redis.hget(`${app.prefix}:mail:meta`, "opts.maxLenEvents")).toBe("10000");
  });

  test("a job whose id names a key of the queue does not stop the others", async () => {
    app = startApplication("6", server.url);
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await redis.zadd(`${app.prefix}:mail:odd`, 1, "member");
    await redis.xadd(`${app.prefix}:mail:events`, "*", "event", "added", "jobId", "odd", "name", "job");
    await app.queue("mail").add("job", {}, { jobId: "b" });
    const agent = recordingAgent();
    await agent.run(createBullmqAdapter({ redis: server.url, prefixes: [app.prefix], queues: ["mail"] }));
    await agent.seen(`${app.prefix}:mail:b`, "task.received");
    expect(agent.kindsOf(`${app.prefix}:mail:odd`)).toEqual(["sent"]);
    await agent.stopAll();
  });
});

describe("the name of a connection", () => {
  const name = (queue: string) => Buffer.from(queue).toString("base64");

  test("holds queue and worker", () => {
    const list = `id=3 addr=127.0.0.1:1 name=bull:${name("mäil")}:w:w:1 db=0\nid=4 name=bull:${name("b")} db=0\nid=5 name= db=0\nid=6 name=bull:${name("c")} age=1 db=12\n`;
    expect(readWorkerConnections(list, ["bull"])).toEqual([
      { prefix: "bull", queue: "mäil", worker: "w:1" },
      { prefix: "bull", queue: "b", worker: undefined },
    ]);
    expect(readWorkerConnections(list, ["bull"], 12)).toEqual([{ prefix: "bull", queue: "c", worker: undefined }]);
  });

  test.each(["bull:not base64", `bull:${name("q")}:qe`, `other:${name("q")}`, "bull:"])(
    "%s is not a worker's",
    (text) => {
      expect(queueOfClientName(text, ["bull"])).toBeUndefined();
    },
  );
});
