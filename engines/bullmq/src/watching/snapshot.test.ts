import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Application, bullmqMajors, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";
import { createClientList } from "../redis/client-list.ts";

const redisUrl = inject("redisUrl");

describe.each(bullmqMajors)("the snapshot of BullMQ %s queues", (major) => {
  let app: Application;
  let agent: RecordingAgent;

  beforeEach(() => {
    app = startApplication(major, redisUrl);
    agent = recordingAgent();
  });

  afterEach(async () => {
    await agent.stopAll();
    await app.close();
  });

  test("counts the jobs that are ready to run and names the oldest", async () => {
    const beganAt = Date.now();
    for (let n = 0; n < 3; n += 1) await app.queue("mail").add("job", {});
    await app.queue("mail").add("job", {}, { priority: 3 });
    await app.queue("mail").add("job", {}, { delay: 3_600_000 });
    const adapter = await agent.run(createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix] }));

    const { queue_depths, queue_oldest } = await adapter.snapshot();

    const queue = `${app.prefix}:mail`;
    expect(queue_depths).toEqual({ [queue]: 4 });
    const oldestMs = Date.parse(queue_oldest?.[queue] ?? "");
    expect(oldestMs).toBeGreaterThanOrEqual(beganAt);
    expect(oldestMs).toBeLessThanOrEqual(Date.now());
  });

  test("counts the jobs of a paused queue", async () => {
    await app.queue("mail").add("job", {}, { jobId: "a" });
    await app.queue("mail").pause();
    await app.queue("mail").add("job", {}, { jobId: "b" });
    const adapter = await agent.run(createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix] }));

    expect(await adapter.snapshot()).toMatchObject({
      queue_depths: { [`${app.prefix}:mail`]: 2 },
      queue_oldest: { [`${app.prefix}:mail`]: expect.any(String) },
    });
  });

  test("reports which queues are held, and why", async () => {
    const [open, paused, limited, stopped] = ["open", "paused", "limited", "stopped"].map((name) => app.queue(name));
    const labelOf = (name: string) => `${app.prefix}:${name}`;
    await Promise.all([open, paused, limited, stopped].map((queue) => queue?.add("job", {})));
    await paused?.pause();
    await stopped?.stopFor(3_600_000);
    await limited?.limit(1, 3_600_000);
    const adapter = await agent.run(createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix] }));
    const holds = async () => (await adapter.snapshot()).queue_holds;
    const until = expect.stringMatching(/^\d{4}-.*Z$/);
    await waitFor(async () => Object.keys((await adapter.snapshot()).queue_depths ?? {}).length === 4);
    expect(await holds()).toEqual({
      [labelOf("paused")]: { paused: true },
      [labelOf("stopped")]: { limited_until: until },
    });

    await app.worker("limited", async () => null);

    const used = await waitFor(async () => (await holds())?.[labelOf("limited")]);
    expect(used).toEqual({ limited_until: until });
    expect(Date.parse(used.limited_until ?? "") - Date.now()).toBeGreaterThan(3_000_000);
    await paused?.resume();
    expect(await holds()).not.toHaveProperty(labelOf("paused"));
  });

  test("finds workers by the names of their connections", async () => {
    await app.worker("mail", async () => null, { name: "east" });
    await app.worker("mail", async () => null);
    await app.worker("post", async () => null, { name: "west" });
    const adapter = await agent.run(createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix], namespace: "eu" }));
    const [mail, post] = [`eu/${app.prefix}:mail`, `eu/${app.prefix}:post`];
    await app.queue("mail").add("job", {});
    await app.queue("post").add("job", {});
    await waitFor(async () => Object.keys((await adapter.snapshot()).queue_depths ?? {}).length === 2);

    const { queue_consumers, worker_details } = await adapter.snapshot();

    expect(queue_consumers).toEqual({ [mail]: 2, [post]: 1 });
    expect(worker_details).toEqual({ east: { active_queues: [mail] }, west: { active_queues: [post] } });
  });

  test("lists workers again after an error", async () => {
    const worker = await app.worker("mail", async () => null, { name: "east" });
    const redis = new Redis(redisUrl);
    const faults = [new Error("Command timed out"), new Error("Connection is closed.")];
    const client = (...args: unknown[]) => {
      const fault = faults.shift();
      return fault ? Promise.reject(fault) : redis.call("CLIENT", ...(args as string[]));
    };
    const listWorkers = createClientList({ client, options: redis.options } as never, [app.prefix], () =>
      faults.push(new Error("given up")),
    );
    expect(await listWorkers()).toBeUndefined();
    expect(await listWorkers()).toBeUndefined();
    expect(await listWorkers()).toContainEqual({ prefix: app.prefix, queue: "mail", worker: worker.opts.name });
    redis.disconnect();
  });

  test("reports no workers where Redis does not allow listing clients", async () => {
    const redis = new Redis(redisUrl);
    const user = `u${app.prefix}`;
    await redis.call("ACL", "SETUSER", user, "on", ">open", "~*", "&*", "+@all", "-client|list");
    const { hostname: host, port } = new URL(redisUrl);
    await app.queue("mail").add("job", {});
    const adapter = await agent.run(
      createBullmqAdapter({
        redis: { host, port: Number(port), username: user, password: "open" },
        prefixes: [app.prefix],
      }),
    );

    const snapshot = await adapter.snapshot();

    expect(snapshot).toMatchObject({ queue_depths: { [`${app.prefix}:mail`]: 1 } });
    expect(snapshot).not.toHaveProperty("queue_consumers");
    await redis.call("ACL", "DELUSER", user);
    redis.disconnect();
  });
});
