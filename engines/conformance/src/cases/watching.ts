import { type EngineReport, readAdapterHealth } from "@svc/protocol";
import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import type { Case } from "../case.ts";
import { type Stage, sharedWorker } from "../stage.ts";

/** Submits three waiting tasks to a new queue. */
async function fill({ submit, freshQueue, awaitEvent, engine }: Stage) {
  const queue = freshQueue();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push(await submit({ queue, name: "echo", input: { n } }));
  for (const id of ids) await awaitEvent(id, engine.reports.beginning.at(-1) ?? "task.received");
  return { queue, ids };
}

/** The snapshot, and what watching guarantees. */
export const watching: readonly Case[] = [
  {
    name: "the snapshot contains depth, oldest task and consumers of queues, and the workers",
    async run(stage) {
      const before = Date.now();
      const { queue } = await fill(stage);

      const seen = await waitFor(async () => {
        const snapshot = await stage.adapter.snapshot();
        return snapshot.queue_depths?.[queue] === 3 && snapshot;
      });

      expect(seen.queue_depths).toMatchObject({ [queue]: 3, [sharedWorker.queue]: 0 });
      expect(Object.keys(seen.queue_holds ?? {})).not.toContain(queue);
      expect(seen.queue_consumers?.[queue] ?? 0).toBe(0);
      expect(seen.queue_consumers?.[sharedWorker.queue]).toBe(1);
      expect(Math.abs(Date.parse(seen.queue_oldest?.[queue] ?? "") - before)).toBeLessThan(30_000);
      expect(seen.worker_details?.[sharedWorker.name]).toBeDefined();
      expect(seen.worker_details?.[sharedWorker.name]?.active_queues).toEqual(
        expect.arrayContaining([sharedWorker.queue, sharedWorker.failingQueue]),
      );
    },
  },
  {
    name: "the snapshot is sent with the heartbeat, readable and within its limits",
    async run(stage) {
      const { queue } = await fill(stage);

      const report = await waitFor(
        () => {
          const beat = stage.peer.record.frames.findLast(({ type }) => type === "heartbeat");
          const health = (beat?.payload?.adapter_health ?? {}) as Record<string, string>;
          const own = readAdapterHealth(health).find(({ engine }) => engine === stage.engine.engine);
          return own?.queueDepths.get(queue) === 3 && own;
        },
        { that: "a heartbeat with the queue" },
      );

      const { queueOldest, workers }: EngineReport = report;
      expect(queueOldest.get(queue)).toEqual(expect.any(String));
      expect(workers.get(sharedWorker.name)).toBeDefined();
    },
  },
  {
    name: "a paused queue is reported as paused until it is resumed",
    async run({ adapter, submit, awaitEvent, whilePaused }) {
      const restriction = async () => (await adapter.snapshot()).queue_holds?.[sharedWorker.queue];
      expect(await restriction()).toBeUndefined();
      let id = "";

      await whilePaused(async () => {
        await waitFor(async () => (await restriction())?.paused === true, { that: "the pause" });
        id = await submit({ name: "echo" });
        await waitFor(async () => (await adapter.snapshot()).queue_depths?.[sharedWorker.queue] === 1);
      });

      await awaitEvent(id, "task.succeeded");
      await waitFor(async () => (await restriction()) === undefined, { that: "no pause" });
    },
  },
  {
    name: "depth() returns the number of waiting tasks of one queue, and undefined for an unknown one",
    async run(stage) {
      const { adapter } = stage;
      if (adapter.depth === undefined) return;
      const { queue } = await fill(stage);

      expect(await adapter.depth(queue)).toBe(3);
      expect(await adapter.depth("no-such-queue")).toBeUndefined();
    },
  },
  {
    name: "two agents report the same events with the same ids",
    async run(stage) {
      const { site, submit, awaitEvent, reported, reporter } = stage;
      const ids = [
        await submit({ name: "echo" }),
        await submit({ name: "fail", input: { message: "no luck", times: 1 }, attempts: 2, pauseMs: 50 }),
        await submit({ name: "fail", input: { message: "no luck" } }),
      ];
      const { peer, reporting } = await reporter();
      const other = await site.startAgentProcess(reporting);
      for (const id of ids.slice(0, 2)) await awaitEvent(id, "task.succeeded");
      const eventsOf = (id: string) => peer.record.events.filter((event) => event.task_id === id);
      for (const id of ids) await waitFor(() => eventsOf(id).length === reported(id).length);
      await other.kill();

      for (const id of ids) expect(eventsOf(id)).toEqual(reported(id));
    },
  },
  {
    name: "watching writes nothing to the engine except what is documented",
    async run(stage) {
      const { site, submit, freshQueue, startAgent, stopAgent, awaitEvent, engine } = stage;
      await stopAgent();
      const queue = freshQueue();
      await submit({ queue, name: "echo", delayMs: 3_600_000 });
      const waiting = await submit({ queue, name: "echo" });
      const before = await site.contents();

      await startAgent();
      await awaitEvent(waiting, engine.reports.beginning.at(-1) ?? "task.received");
      await stage.adapter.snapshot();
      await stopAgent();

      expect(await site.contents()).toEqual(before);
      await startAgent();
    },
  },
  {
    name: "catching up costs the server a bounded number of requests per task",
    async run({ engine, site, submit, startAgent, stopAgent, awaitEvent }) {
      const count = 300;
      await stopAgent();
      const ids = await Promise.all(Array.from({ length: count }, () => submit({ name: "echo" })));
      await waitFor(async () => (await Promise.all(ids.map((id) => site.hasEnded(id)))).every(Boolean), {
        everyMs: 200,
      });

      const before = await site.requests();
      await startAgent();
      for (const id of ids) await awaitEvent(id, "task.succeeded");
      const spent = (await site.requests()) - before;

      expect(spent / count).toBeLessThanOrEqual(engine.requestsPerTask);
    },
  },
  {
    name: "a stopped adapter emits nothing, does nothing and leaves no connection, however often it is stopped",
    async run({ site, adapter, peer, submit, startAgent, stopAgent, awaitEvent, engine }) {
      await stopAgent();
      await adapter.stop();
      const reported = peer.record.events.length;
      const id = await submit({ name: "fail", input: { message: "no luck" } });
      await waitFor(() => site.hasEnded(id));

      const given = { id: "c", engine: engine.engine, target: {}, timeoutSeconds: 60 };
      const outcome = await adapter
        .execute?.({ ...given, action: "retry_task", parameters: { task_id: id } })
        .catch((fault: Error) => ({ status: "failed", error: fault.message }));

      expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/\S/) });
      expect(await adapter.snapshot()).toBeDefined();
      await waitFor(async () => (await site.adapterConnections()) === 0, { that: "no connection left" });
      expect(peer.record.events).toHaveLength(reported);
      await startAgent();
      await awaitEvent(id, "task.failed");
    },
  },
];
