import { randomUUID } from "node:crypto";
import { purgeConfirmToken, rateLimitByQueueMarker } from "@svc/protocol";
import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import { sharedWorker } from "../stage.ts";

/** cancel_task, purge_queue, submit_task, schedule.fire, rate_limit. */
export const interventions: readonly Case[] = [
  {
    name: "cancel_task removes a waiting or delayed task, which is reported as revoked and never runs",
    appliesTo: advertising("cancel_task"),
    async run({ engine, site, submit, send, awaitEvent, kindsOf, whilePaused }) {
      const ids: string[] = [];
      await whilePaused(async () => {
        ids.push(await submit({ name: "echo" }), await submit({ name: "echo", delayMs: 3_600_000 }));
        for (const task_id of ids) {
          expect(await send("cancel_task", { engine: engine.engine, task_id })).toMatchObject({ status: "success" });
          await awaitEvent(task_id, "task.revoked");
          expect(kindsOf(task_id).filter((kind) => kind === "task.revoked")).toHaveLength(1);
        }
      });
      await awaitEvent(await submit({ name: "echo" }), "task.succeeded");

      expect(ids.map((id) => site.runsOf(id))).toEqual([0, 0]);
    },
  },
  {
    name: "cancel_task stops a running task for good, or is refused and the task continues",
    appliesTo: advertising("cancel_task"),
    async run({ engine, site, submit, gate, send, awaitEvent, kindsOf }) {
      const { path, open } = gate();
      const task_id = await submit({ name: "gate", input: { path }, attempts: 3, pauseMs: 60_000 });
      await awaitEvent(task_id, "task.started");

      const outcome = await send("cancel_task", { engine: engine.engine, task_id });
      await open();

      if (engine.cancelsRunning) {
        expect(outcome).toMatchObject({ status: "success" });
        await waitFor(() => ["task.failed", "task.revoked"].includes(kindsOf(task_id).at(-1) ?? ""));
      } else {
        expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining(task_id) });
        await awaitEvent(task_id, "task.succeeded");
      }
      expect(site.runsOf(task_id)).toBe(1);
    },
  },
  {
    name: "cancel_task refuses a finished task",
    appliesTo: advertising("cancel_task"),
    async run({ engine, submit, send, awaitEvent, kindsOf }) {
      const well = await submit({ name: "echo" });
      const badly = await submit({ name: "fail", input: { message: "no luck" } });
      await awaitEvent(well, "task.succeeded");
      await awaitEvent(badly, "task.failed");
      for (const task_id of [well, badly]) {
        const outcome = await send("cancel_task", { engine: engine.engine, task_id });
        expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining(task_id) });
        expect(kindsOf(task_id)).not.toContain("task.revoked");
      }
    },
  },
  {
    name: "purge_queue with a token for another depth than the current one removes nothing",
    appliesTo: advertising("purge_queue"),
    async run({ engine, peer, site, submit, freshQueue, send, awaitEvent }) {
      const queue = freshQueue();
      const id = await submit({ queue, name: "echo" });
      await awaitEvent(id, engine.reports.beginning.at(-1) ?? "task.received");
      const before = await site.contents();

      for (const depth of [0, 2, 7]) {
        const confirm_token = purgeConfirmToken(peer.identity.secret, queue, depth);
        const outcome = await send("purge_queue", { queue, confirm_token, force: false });
        expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/^refused: /) });
        expect(outcome.error).toContain(`${queue} has 1 task `);
      }

      expect(await site.contents()).toEqual(before);
    },
  },
  {
    name: "purge_queue removes waiting tasks, which are reported as revoked, and keeps running and finished ones",
    appliesTo: advertising("purge_queue"),
    async run({ engine, peer, site, submit, gate, send, awaitEvent, kindsOf, whilePaused }) {
      const { queue } = sharedWorker;
      const { path, open } = gate();
      const ended = await submit({ name: "fail", input: { message: "no luck" } });
      await awaitEvent(ended, "task.failed");
      const running = await submit({ name: "gate", input: { path } });
      await awaitEvent(running, "task.started");
      const waiting: string[] = [];
      await whilePaused(async () => {
        waiting.push(await submit({ name: "echo" }), await submit({ name: "echo" }));
        for (const id of waiting) await awaitEvent(id, engine.reports.beginning.at(-1) ?? "task.received");

        const confirm_token = purgeConfirmToken(peer.identity.secret, queue, 2);
        const outcome = await send("purge_queue", { queue, confirm_token, force: false });
        const forced = await send("purge_queue", { queue, confirm_token: "", force: true });

        expect(outcome).toMatchObject({ status: "success", result: { purged: 2 } });
        expect(forced).toMatchObject({ status: "success", result: { purged: 0 } });
        for (const id of waiting) await awaitEvent(id, "task.revoked");
      });
      await open();
      await awaitEvent(running, "task.succeeded");
      expect(kindsOf(ended).at(-1)).toBe("task.failed");
      expect(waiting.map((id) => site.runsOf(id))).toEqual([0, 0]);
    },
  },
  {
    name: "purge_queue removes no more tasks than the confirmed depth, however many arrived since",
    appliesTo: advertising("purge_queue"),
    async run({ engine, adapter, submit, freshQueue, awaitEvent }) {
      const queue = freshQueue();
      const ids = [await submit({ queue, name: "echo" }), await submit({ queue, name: "echo" })];
      for (const id of ids) await awaitEvent(id, engine.reports.beginning.at(-1) ?? "task.received");
      const command = { action: "purge_queue", engine: engine.engine, target: {}, parameters: { queue } };
      const purge = (confirmedDepth: number) =>
        adapter.execute?.({ ...command, id: randomUUID(), timeoutSeconds: 60, confirmedDepth });

      expect(await purge(0)).toMatchObject({ status: "success", result: { purged: 0 } });
      expect(await purge(1)).toMatchObject({ status: "success", result: { purged: 1 } });

      await awaitEvent(ids[0] ?? "", "task.revoked");
      expect(await purge(5)).toMatchObject({ status: "success", result: { purged: 1 } });
    },
  },
  {
    name: "submit_task and schedule.fire create one task each, and a repeated fire creates no second one",
    appliesTo: advertising("submit_task"),
    async run({ engine, site, submit, send, awaitEvent, reported }) {
      const kwargs = { mark: "by hand" };
      const task = { args: [], kwargs, queue: sharedWorker.queue, eta: null, priority: null };
      const fire = {
        ...{
          task_name: "echo",
          engine: engine.engine,
          queue: sharedWorker.queue,
          args: [],
          kwargs: {},
          priority: null,
        },
        ...{ schedule_id: "s", schedule_name: "nightly", fire_id: "f-1", scheduled_for: new Date().toISOString() },
      };

      const submitted = await send("submit_task", { name: "echo", ...task });
      const fires = [await send("schedule.fire", fire), await send("schedule.fire", fire)];
      const fired = fires.map(({ result }) => String(result?.task_id));
      await awaitEvent(await submit({ name: "echo" }), "task.succeeded");

      const id = String(submitted.result?.task_id);
      for (const { status } of [submitted, ...fires]) expect(status).toBe("success");
      await awaitEvent(id, "task.succeeded");
      expect(reported(id)[0]?.data).toMatchObject({ task_name: "echo", queue: sharedWorker.queue, kwargs });
      expect(fired[1]).toBe(fired[0]);
      await awaitEvent(fired[0] ?? "", "task.succeeded");
      expect((await send("schedule.fire", fire)).result?.task_id).toBe(fired[0]);
      await awaitEvent(await submit({ name: "echo" }), "task.succeeded");
      expect([id, fired[0] ?? ""].map((one) => site.runsOf(one))).toEqual([1, 1]);
    },
  },
  {
    name: "rate_limit delays tasks beyond the rate, and a rate of 0 lets them run again",
    appliesTo: advertising("rate_limit"),
    async run({ engine, site, adapter, submit, send, awaitEvent }) {
      const queue = sharedWorker.limitedQueue;
      const task_name = site.rateTarget(queue, "echo");
      await submit({ queue, name: "echo" }).then((id) => awaitEvent(id, "task.succeeded"));

      expect(await send("rate_limit", { task_name, rate: "1/h" })).toMatchObject({ status: "success" });
      await awaitEvent(await submit({ queue, name: "echo" }), "task.succeeded");
      const limited = await submit({ queue, name: "echo" });
      await awaitEvent(limited, engine.reports.beginning.at(-1) ?? "task.received");
      await waitFor(async () => (await adapter.snapshot()).queue_holds?.[queue]?.limited_until !== undefined, {
        that: "the limit in the snapshot",
      });
      expect(site.runsOf(limited)).toBe(0);

      expect(await send("rate_limit", { task_name, rate: "0" })).toMatchObject({ status: "success" });
      await awaitEvent(limited, "task.succeeded");
    },
  },
  {
    name: "rate_limit by queue accepts a queue name, and refuses a task name or a worker",
    appliesTo: advertising("rate_limit", rateLimitByQueueMarker),
    async run({ engine, adapter, submit, send, awaitEvent }) {
      const queue = sharedWorker.limitedQueue;
      const limit = { engine: engine.engine, task_name: queue, rate: "1/h" };
      for (const wrong of [{ task_name: "echo" }, { worker_name: "w-other" }]) {
        expect(await send("rate_limit", { ...limit, ...wrong })).toMatchObject({ status: "failed" });
      }
      await awaitEvent(await submit({ queue, name: "echo" }), "task.succeeded");
      await awaitEvent(await submit({ queue, name: "echo" }), "task.succeeded");
      expect((await adapter.snapshot()).queue_holds?.[queue]).toBeUndefined();

      expect(await send("rate_limit", { ...limit, worker_name: null })).toMatchObject({ status: "success" });
      expect(await send("rate_limit", { ...limit, rate: "0", worker_name: null })).toMatchObject({ status: "success" });
    },
  },
];
