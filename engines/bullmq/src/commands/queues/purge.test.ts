import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { type ApplicationQueue, bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";
import { recordingAgent } from "../../../test/recording-agent.ts";
import { attachBullmq } from "../../attach.ts";

async function addMany(queue: ApplicationQueue, name: string, count: number, options: Record<string, unknown> = {}) {
  const jobs = Array.from({ length: count }, (_, index) => `${name}${index}`);
  await Promise.all(jobs.map((job) => queue.add("welcome", {}, { jobId: job, ...options })));
  return jobs;
}

describe.each(bullmqMajors)("purging a BullMQ %s queue", (major) => {
  test("removes the waiting jobs in several steps, and their tasks become revoked", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const queue = app.queue("mail");
    const waiting = await addMany(queue, "w", 1200);
    const prioritized = await addMany(queue, "p", 20, { priority: 2 });
    await queue.add("welcome", {}, { jobId: "later", delay: 60_000 });

    const outcome = await commanded.execute("purge_queue", { queue: `${app.prefix}:mail`, force: true });

    expect(outcome).toEqual({ status: "success", result: { purged: 1220 } });
    for (const job of [...waiting, ...prioritized]) await agent.seen(id(job), "task.revoked");
    expect(await commanded.execute("reconcile_task", { task_id: id("later") })).toMatchObject({
      result: { engine_state: "pending" },
    });
    expect(agent.kindsOf(id("later"))).not.toContain("revoked");
  });

  test("removes the waiting jobs of a paused queue, which stays paused", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    await app.queue("mail").pause();
    const jobs = await addMany(app.queue("mail"), "w", 5);

    const outcome = await commanded.execute("purge_queue", { queue: `${app.prefix}:mail` });

    expect(outcome).toEqual({ status: "success", result: { purged: 5 } });
    for (const job of jobs) await agent.seen(id(job), "task.revoked");
    const redis = new Redis(inject("redisUrl"));
    onTestFinished(() => redis.disconnect());
    expect(await redis.hexists(`${app.prefix}:mail:meta`, "paused")).toBe(1);
  });

  test("is checked against the current depth, by any process", async () => {
    await using commanded = await startCommanded(major);
    const { app, adapter } = commanded;
    const label = `${app.prefix}:mail`;
    await addMany(app.queue("mail"), "w", 5);
    await addMany(app.queue("mail"), "p", 2, { priority: 2 });
    await app.queue("mail").add("welcome", {}, { jobId: "later", delay: 60_000 });
    const redis = inject("redisUrl");
    const other = recordingAgent();
    onTestFinished(() => other.stopAll());
    await other.run(attachBullmq({ redis, workers: [], prefixes: [app.prefix] }));
    const waiting = await other.run(attachBullmq({ redis, workers: [], prefixes: [app.prefix] }));

    expect([await adapter.depth?.(label), await waiting.depth?.(label)]).toEqual([7, 7]);
    await app.queue("mail").pause();
    expect(await adapter.depth?.(label)).toBe(7);
    expect(await adapter.depth?.(`${app.prefix}:nothing`)).toBeUndefined();
    await expect(adapter.depth?.("others:mail")).rejects.toThrow("is not a queue that this agent watches");
    await waitFor(async () => (await adapter.snapshot()).queue_depths?.[label] === 7);
  });

  test("reports the parents that are removed with their last children, and spares one in another queue", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const child = { name: "part", queueName: "mail" };
    await app.addFlow({
      ...{ name: "order", queueName: "mail", opts: { jobId: "grandparent" } },
      children: [{ ...child, opts: { jobId: "parent" }, children: [{ ...child, opts: { jobId: "child" } }] }],
    });
    await app.addFlow({
      ...{ name: "order", queueName: "orders", opts: { jobId: "elsewhere" } },
      children: [{ ...child, opts: { jobId: "its-child" } }],
    });
    await app.addFlow({
      ...{ name: "order", queueName: "mail", opts: { jobId: "waiting-on" } },
      children: [{ ...child, opts: { jobId: "later", delay: 60_000 } }],
    });
    for (const job of ["child", "its-child"]) await agent.seen(id(job), "task.received");

    const outcome = await commanded.execute("purge_queue", { queue: `${app.prefix}:mail` });

    expect(outcome).toEqual({ status: "success", result: { purged: 2, parents: 2 } });
    for (const job of ["child", "its-child", "parent", "grandparent"]) await agent.seen(id(job), "task.revoked");
    for (const task_id of [id("waiting-on"), `${app.prefix}:orders:elsewhere`])
      expect(await commanded.execute("reconcile_task", { task_id })).toMatchObject({
        result: { engine_state: "pending" },
      });
  });

  test("keeps jobs that were added after it began", async () => {
    await using commanded = await startCommanded(major);
    const { app, id } = commanded;
    await addMany(app.queue("mail"), "w", 4000);
    const redis = new Redis(inject("redisUrl"));
    onTestFinished(() => redis.disconnect());

    const purging = commanded.execute("purge_queue", { queue: `${app.prefix}:mail` });
    while ((await redis.llen(`${app.prefix}:mail:wait`)) === 4000);
    await app.queue("mail").add("welcome", {}, { jobId: "new", priority: 2 });

    expect(await purging).toEqual({ status: "success", result: { purged: 4000 } });
    expect(await commanded.execute("reconcile_task", { task_id: id("new") })).toMatchObject({
      result: { engine_state: "pending" },
    });
  });

  test("removes at most the confirmed number from all lists together, oldest first", async () => {
    await using commanded = await startCommanded(major);
    const { app, adapter, agent, id } = commanded;
    const queue = app.queue("mail");
    const label = `${app.prefix}:mail`;
    const seen = [...(await addMany(queue, "w", 3)), ...(await addMany(queue, "p", 2, { priority: 2 }))];
    const confirmedDepth = (await adapter.depth?.(label)) ?? 0;
    await addMany(queue, "late", 4, { priority: 3 });

    const outcome = await commanded.execute("purge_queue", { queue: label }, { confirmedDepth });

    expect(outcome).toEqual({ status: "success", result: { purged: 5 } });
    for (const job of seen) await agent.seen(id(job), "task.revoked");
    expect(await adapter.depth?.(label)).toBe(4);
  });

  test.each([
    ["of another prefix", "others:mail", "is not a queue that this agent watches"],
    ["that does not exist", "PREFIX:nothing", "does not exist"],
    ["without a name", "", "queue must be"],
  ])("is refused for a queue %s", async (_, queue, error) => {
    await using commanded = await startCommanded(major);

    const outcome = await commanded.execute("purge_queue", { queue: queue.replace("PREFIX", commanded.app.prefix) });

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining(error) });
  });

  test("starts no further step when its time is over", async () => {
    await using commanded = await startCommanded(major);
    const { app } = commanded;
    await addMany(app.queue("mail"), "w", 3);

    // A limit of one second is entirely reserved for reporting.
    const outcome = await commanded.execute("purge_queue", { queue: `${app.prefix}:mail` }, { timeoutSeconds: 1 });

    expect(outcome).toEqual({ status: "success", result: { purged: 0, remaining: 3 } });
  });
});
