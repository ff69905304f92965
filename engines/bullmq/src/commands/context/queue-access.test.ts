import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { type Commanded, startCommanded } from "../../../test/commanded.ts";

describe.each(bullmqMajors)("a queue of BullMQ %s without a stored version", (major) => {
  /** Only flows add to queue `mail`, and they write no version. */
  async function withFlow(others: readonly string[]) {
    const commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    let isWell = false;
    await app.worker("mail", async () => {
      if (!isWell) throw new Error("no luck");
    });
    await app.addFlow({ name: "part", queueName: "mail", opts: { jobId: "a" } });
    await agent.seen(id("a"), "task.failed");
    for (const name of others) await app.queue(name).add("job", {}, { jobId: "a" });
    await waitFor(async () => {
      const depths = (await commanded.adapter.snapshot()).queue_depths ?? {};
      return Object.keys(depths).length === 1 + others.length;
    });
    const redis = new Redis(inject("redisUrl"));
    onTestFinished(() => redis.disconnect());
    expect(await redis.hget(`${app.prefix}:mail:meta`, "version")).toBeNull();
    const heal = () => {
      isWell = true;
    };
    return { ...commanded, redis, heal };
  }

  /** Pauses the queue as this version does, also without writing a version. */
  async function pause({ app }: Pick<Commanded, "app">, redis: Redis) {
    await redis.hset(`${app.prefix}:mail:meta`, "paused", "1");
  }

  test("accepts commands while it is not paused", async () => {
    const flow = await withFlow([]);
    await using _ = flow;
    flow.heal();
    expect(await flow.execute("retry_task", { task_id: flow.id("a") })).toMatchObject({ status: "success" });
    await flow.agent.seen(flow.id("a"), "task.succeeded");
  });

  test("stays unchanged when it is paused", async () => {
    const flow = await withFlow([]);
    await using _ = flow;
    await pause(flow, flow.redis);
    expect(await flow.execute("retry_task", { task_id: flow.id("a") })).toEqual({
      status: "failed",
      error: expect.stringContaining("is paused and its BullMQ version is unknown"),
    });
  });

  test("has the version of the other queues with its prefix", async () => {
    const flow = await withFlow(["bills"]);
    await using _ = flow;
    await pause(flow, flow.redis);
    expect(await flow.execute("retry_task", { task_id: flow.id("a") })).toMatchObject({ status: "success" });
    expect(await flow.redis.lrange(`${flow.app.prefix}:mail:${major === "5" ? "paused" : "wait"}`, 0, -1)).toEqual([
      "a",
    ]);
  });

  test("from another version than 5 and 6 stays unchanged", async () => {
    const flow = await withFlow([]);
    await using _ = flow;
    await flow.redis.hset(`${flow.app.prefix}:mail:meta`, "version", "bullmq:7.0.0");
    for (const [action, parameters] of [
      ["retry_task", { task_id: flow.id("a") }],
      ["purge_queue", { queue: `${flow.app.prefix}:mail` }],
    ] as const)
      expect(await flow.execute(action, parameters)).toEqual({
        status: "failed",
        error: expect.stringContaining("was not created by BullMQ 5 or 6. Nothing was changed."),
      });
  });
});

test("more queues than can stay open all accept commands", async () => {
  await using commanded = await startCommanded("6");
  const { app } = commanded;
  const queues = Array.from({ length: 70 }, (_, index) => `q${index}`);
  for (const queue of queues) await app.queue(queue).add("job", {}, { jobId: "a" });
  for (const round of [1, 2])
    for (const queue of queues)
      expect([
        round,
        queue,
        await commanded.execute("reconcile_task", { task_id: `${app.prefix}:${queue}:a` }),
      ]).toMatchObject([round, queue, { result: { engine_state: "pending" } }]);
});
