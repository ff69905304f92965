import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import type { Stage } from "../stage.ts";

/** A worker of its own queue, known to the adapter. */
async function withWorker({ site, freshQueue, adapter }: Stage, slots: number) {
  const queue = freshQueue();
  const name = `w-of-${queue}`;
  const worker = await site.startWorker({ name, queues: [queue], slots });
  await waitFor(async () => (await adapter.snapshot()).worker_details?.[name] !== undefined, { that: name });
  return { queue, name, worker };
}

/** Whether a task has not begun while another one went through the engine. */
async function isHeld({ site, submit, awaitTold }: Stage, taskId: string): Promise<boolean> {
  await awaitTold(await submit({ name: "echo" }), "task.succeeded");
  return site.runsOf(taskId) === 0;
}

export const workers: readonly Case[] = [
  {
    name: "pool_grow lets a worker run more tasks at once, pool_shrink fewer, and never none",
    appliesTo: advertising("pool_grow", "pool_shrink"),
    async run(stage) {
      const { submit, gate, send, awaitTold } = stage;
      const { queue, name } = await withWorker(stage, 1);
      const gates = Array.from({ length: 5 }, gate);
      const ids: string[] = [];
      for (const { path } of gates) ids.push(await submit({ queue, name: "gate", input: { path } }));
      const [first = "", second = "", third = "", fourth = "", fifth = ""] = ids;
      await awaitTold(first, "task.started");
      expect(await isHeld(stage, second)).toBe(true);

      expect(await send("pool_grow", { worker_name: name, delta: 1 })).toMatchObject({ status: "success" });
      await gates[0]?.open(); // an engine may look only then whether it may run more
      for (const id of [second, third]) await awaitTold(id, "task.started");
      expect(await isHeld(stage, fourth)).toBe(true);

      expect(await send("pool_shrink", { worker_name: name, delta: 1 })).toMatchObject({ status: "success" });
      for (const at of [1, 2]) await gates[at]?.open();
      for (const id of [first, second, third]) await awaitTold(id, "task.succeeded");
      await awaitTold(fourth, "task.started");
      expect(await isHeld(stage, fifth)).toBe(true);
      const outcome = await send("pool_shrink", { worker_name: name, delta: 1 });
      expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/\S{3}/) });
      for (const at of [3, 4]) await gates[at]?.open();
      await awaitTold(fifth, "task.succeeded");
    },
  },
  {
    name: "restart_worker makes a worker anew, and what it runs ends first",
    appliesTo: advertising("restart_worker"),
    async run(stage) {
      const { site, submit, gate, send, awaitTold } = stage;
      const { queue, name, worker } = await withWorker(stage, 1);
      const { path, open } = gate();
      const running = await submit({ queue, name: "gate", input: { path } });
      await awaitTold(running, "task.started");

      const outcome = send("restart_worker", { worker_name: name });
      await waitFor(() => worker.timesMade() === 2, { that: "the new worker" });
      await open();

      expect(await outcome).toMatchObject({ status: "success" });
      await awaitTold(running, "task.succeeded");
      await awaitTold(await submit({ queue, name: "echo" }), "task.succeeded");
      expect([worker.timesMade(), site.runsOf(running)]).toEqual([2, 1]);
    },
  },
  {
    name: "cancel_consumer keeps a worker from a queue, add_consumer lets it take from it, and from another one",
    appliesTo: advertising("add_consumer", "cancel_consumer"),
    async run(stage) {
      const { submit, freshQueue, send, awaitTold, engine } = stage;
      const { queue, name } = await withWorker(stage, 1);
      await awaitTold(await submit({ queue, name: "echo" }), "task.succeeded");

      expect(await send("cancel_consumer", { worker_name: name, queue })).toMatchObject({ status: "success" });
      const held = await submit({ queue, name: "echo" });
      await awaitTold(held, engine.tells.beginning.at(-1) ?? "task.received");
      expect(await isHeld(stage, held)).toBe(true);
      expect(await send("add_consumer", { worker_name: name, queue })).toMatchObject({ status: "success" });
      await awaitTold(held, "task.succeeded");

      const another = freshQueue();
      const orphan = await submit({ queue: another, name: "echo" });
      expect(await send("add_consumer", { worker_name: name, queue: another })).toMatchObject({ status: "success" });
      expect((await awaitTold(orphan, "task.succeeded")).data).toMatchObject({ worker: name });
    },
  },
];
