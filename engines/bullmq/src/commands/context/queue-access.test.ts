import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { type Commanded, startCommanded } from "../../../test/commanded.ts";

describe.each(bullmqMajors)("a queue of BullMQ %s that tells no version", (major) => {
  /** Queue `mail` is fed by flows alone, which write none. */
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

  /** Pauses as this major does, which writes no version either. */
  async function pause({ app }: Pick<Commanded, "app">, redis: Redis) {
    await redis.hset(`${app.prefix}:mail:meta`, "paused", "1");
  }

  test("is commanded while it is not paused", async () => {
    const flow = await withFlow([]);
    await using _ = flow;
    flow.heal();
    expect(await flow.execute("retry_task", { task_id: flow.id("a") })).toMatchObject({ status: "success" });
    await flow.agent.seen(flow.id("a"), "task.succeeded");
  });

  test("is left alone when it is paused", async () => {
    const flow = await withFlow([]);
    await using _ = flow;
    await pause(flow, flow.redis);
    expect(await flow.execute("retry_task", { task_id: flow.id("a") })).toEqual({
      status: "failed",
      error: expect.stringContaining("is paused and does not tell its version of BullMQ"),
    });
  });

  test("is taken to be of the version of the others with its prefix", async () => {
    const flow = await withFlow(["bills"]);
    await using _ = flow;
    await pause(flow, flow.redis);
    expect(await flow.execute("retry_task", { task_id: flow.id("a") })).toMatchObject({ status: "success" });
    expect(await flow.redis.lrange(`${flow.app.prefix}:mail:${major === "5" ? "paused" : "wait"}`, 0, -1)).toEqual([
      "a",
    ]);
  });

  test("and of another version than 5 and 6 is left alone", async () => {
    const flow = await withFlow([]);
    await using _ = flow;
    await flow.redis.hset(`${flow.app.prefix}:mail:meta`, "version", "bullmq:7.0.0");
    for (const [action, parameters] of [
      ["retry_task", { task_id: flow.id("a") }],
      ["purge_queue", { queue: `${flow.app.prefix}:mail` }],
    ] as const)
      expect(await flow.execute(action, parameters)).toEqual({
        status: "failed",
        error: expect.stringContaining("is not of BullMQ 5 or 6: nothing is done to it"),
      });
  });
});

test("more queues than stay open are commanded one after the other", async () => {
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
