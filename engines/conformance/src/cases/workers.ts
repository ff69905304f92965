import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import type { Stage } from "../stage.ts";

/** Starts a worker with its own queue and waits until the adapter knows it. */
async function withWorker({ site, freshQueue, adapter }: Stage, concurrency: number) {
  const queue = freshQueue();
  const name = `w-of-${queue}`;
  const worker = await site.startWorker({ name, queues: [queue], concurrency });
  await waitFor(async () => (await adapter.snapshot()).worker_details?.[name] !== undefined, { that: name });
  return { queue, name, worker };
}

/** Whether a task has not started while another one ran through the engine. */
async function isWaiting({ site, submit, awaitEvent }: Stage, taskId: string): Promise<boolean> {
  await awaitEvent(await submit({ name: "echo" }), "task.succeeded");
  return site.runsOf(taskId) === 0;
}

export const workers: readonly Case[] = [
  {
    name: "pool_grow lets a worker run more tasks concurrently, pool_shrink fewer, and never none",
    appliesTo: advertising("pool_grow", "pool_shrink"),
    async run(stage) {
      const { submit, gate, send, awaitEvent } = stage;
      const { queue, name } = await withWorker(stage, 1);
      const gates = Array.from({ length: 5 }, gate);
      const ids: string[] = [];
      for (const { path } of gates) ids.push(await submit({ queue, name: "gate", input: { path } }));
      const [first = "", second = "", third = "", fourth = "", fifth = ""] = ids;
      await awaitEvent(first, "task.started");
      expect(await isWaiting(stage, second)).toBe(true);

      expect(await send("pool_grow", { worker_name: name, delta: 1 })).toMatchObject({ status: "success" });
      await gates[0]?.open(); // an engine may check only then whether it may run more
      for (const id of [second, third]) await awaitEvent(id, "task.started");
      expect(await isWaiting(stage, fourth)).toBe(true);

      expect(await send("pool_shrink", { worker_name: name, delta: 1 })).toMatchObject({ status: "success" });
      for (const at of [1, 2]) await gates[at]?.open();
      for (const id of [first, second, third]) await awaitEvent(id, "task.succeeded");
      await awaitEvent(fourth, "task.started");
      expect(await isWaiting(stage, fifth)).toBe(true);
      const outcome = await send("pool_shrink", { worker_name: name, delta: 1 });
      expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/\S{3}/) });
      for (const at of [3, 4]) await gates[at]?.open();
      await awaitEvent(fifth, "task.succeeded");
    },
  },
  {
    name: "restart_worker starts a new worker, and the old one finishes its running tasks",
    appliesTo: advertising("restart_worker"),
    async run(stage) {
      const { site, submit, gate, send, awaitEvent } = stage;
      const { queue, name, worker } = await withWorker(stage, 1);
      const { path, open } = gate();
      const running = await submit({ queue, name: "gate", input: { path } });
      await awaitEvent(running, "task.started");

      const outcome = send("restart_worker", { worker_name: name });
      await waitFor(() => worker.starts() === 2, { that: "the new worker" });
      await open();

      expect(await outcome).toMatchObject({ status: "success" });
      await awaitEvent(running, "task.succeeded");
      await awaitEvent(await submit({ queue, name: "echo" }), "task.succeeded");
      expect([worker.starts(), site.runsOf(running)]).toEqual([2, 1]);
    },
  },
  {
    name: "cancel_consumer stops a worker from consuming a queue, add_consumer makes it consume that or another one",
    appliesTo: advertising("add_consumer", "cancel_consumer"),
    async run(stage) {
      const { submit, freshQueue, send, awaitEvent, engine } = stage;
      const { queue, name } = await withWorker(stage, 1);
      await awaitEvent(await submit({ queue, name: "echo" }), "task.succeeded");

      expect(await send("cancel_consumer", { worker_name: name, queue })).toMatchObject({ status: "success" });
      const waiting = await submit({ queue, name: "echo" });
      await awaitEvent(waiting, engine.reports.beginning.at(-1) ?? "task.received");
      expect(await isWaiting(stage, waiting)).toBe(true);
      expect(await send("add_consumer", { worker_name: name, queue })).toMatchObject({ status: "success" });
      await awaitEvent(waiting, "task.succeeded");

      const another = freshQueue();
      const orphan = await submit({ queue: another, name: "echo" });
      expect(await send("add_consumer", { worker_name: name, queue: another })).toMatchObject({ status: "success" });
      expect((await awaitEvent(orphan, "task.succeeded")).data).toMatchObject({ worker: name });
    },
  },
];
