import { retryContractMarker } from "@svc/protocol";
import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import { type Stage, sharedWorker } from "../stage.ts";

/** A failed task that succeeds when it runs again. */
async function failed({ submit, awaitEvent }: Stage, input: object = {}): Promise<string> {
  const id = await submit({ name: "fail", input: { message: "no luck", times: 1, ...input } });
  await awaitEvent(id, "task.failed");
  return id;
}

const byReference = advertising("retry_task", retryContractMarker);

/** retry_task, requeue_dead_letter, bulk_retry. */
export const retries: readonly Case[] = [
  {
    name: "retry_task runs a failed task again, as the same task with all its attempts and rising attempt numbers",
    appliesTo: byReference,
    async run(stage) {
      const { engine, site, submit, send, awaitEvent, reported } = stage;
      const task_id = await submit({ name: "fail", input: { message: "no luck", times: 3 }, attempts: 2 });
      await awaitEvent(task_id, "task.failed");

      const outcome = await send("retry_task", { engine: engine.engine, task_id });

      expect(outcome).toMatchObject({ status: "success", result: { task_id } });
      expect(outcome.result?.new_task_id ?? null).toBeNull();
      await awaitEvent(task_id, "task.succeeded");
      const steps = reported(task_id).flatMap(({ kind, data }) =>
        ["task.started", "task.retried", "task.failed", "task.succeeded"].includes(kind)
          ? [`${kind} ${data.attempt}`]
          : [],
      );
      expect(steps).toEqual([
        ...["task.started 0", "task.retried 0", "task.started 1", "task.failed 1"],
        ...["task.started 2", "task.retried 2", "task.started 3", "task.succeeded 3"],
      ]);
      expect(site.runsOf(task_id)).toBe(4);
    },
  },
  {
    name: "of concurrent retries of one task exactly one succeeds",
    appliesTo: byReference,
    async run(stage) {
      const { engine, site, submit, send, awaitEvent } = stage;
      const task_id = await failed(stage);
      const others = engine.advertises.includes("requeue_dead_letter") ? "requeue_dead_letter" : "retry_task";

      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, n) => send(n % 2 ? others : "retry_task", { engine: engine.engine, task_id })),
      );
      await awaitEvent(task_id, "task.succeeded");
      await awaitEvent(await submit({ name: "echo" }), "task.succeeded");

      expect(outcomes.filter(({ status }) => status === "success")).toHaveLength(1);
      for (const { status, error } of outcomes) if (status === "failed") expect(error).toContain(task_id);
      expect(site.runsOf(task_id)).toBe(2);
    },
  },
  {
    name: "retry_task refuses a task that has not failed, and states its state",
    appliesTo: byReference,
    async run(stage) {
      const { engine, site, submit, freshQueue, gate, send, awaitEvent } = stage;
      const { path, open } = gate();
      const waiting = await submit({ queue: freshQueue(), name: "echo" });
      const delayed = await submit({ name: "echo", delayMs: 3_600_000 });
      const running = await submit({ name: "gate", input: { path } });
      const well = await submit({ name: "echo" });
      await awaitEvent(running, "task.started");
      await awaitEvent(well, "task.succeeded");

      for (const task_id of [waiting, delayed, running, well]) {
        const outcome = await send("retry_task", { engine: engine.engine, task_id });
        expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining(task_id) });
      }

      await open();
      await awaitEvent(running, "task.succeeded");
      expect([waiting, delayed, running, well].map((id) => site.runsOf(id))).toEqual([0, 0, 1, 1]);
    },
  },
  {
    name: "retry_task with other inputs runs a new task that references the old one",
    appliesTo: advertising("retry_task"),
    async run(stage) {
      const { engine, site, send, awaitEvent, reported } = stage;
      const task_id = await failed(stage);
      const parameters = { engine: engine.engine, task_id, override_args: [] };

      const outcome = await send("retry_task", { ...parameters, override_kwargs: { message: "x", times: 0, mark: 1 } });

      const newId = String(outcome.result?.new_task_id);
      expect(outcome).toMatchObject({ status: "success", result: { task_id } });
      await awaitEvent(newId, "task.succeeded");
      expect(reported(newId)[0]?.data).toMatchObject({
        ...{ task_name: "fail", queue: sharedWorker.queue, retried_from: task_id },
        kwargs: { mark: 1 },
      });
      expect([site.runsOf(task_id), site.runsOf(newId)]).toEqual([1, 1]);
    },
  },
  {
    name: "retry_task with a due time runs a failed task once at that time, however often it is requested",
    appliesTo: byReference,
    async run(stage) {
      const { engine, site, send, awaitEvent, reported } = stage;
      const task_id = await failed(stage);
      const dueMs = Date.now() + 3_000;
      const parameters = { engine: engine.engine, task_id, eta: new Date(dueMs).toISOString() };

      const outcomes = await Promise.all(Array.from({ length: 4 }, () => send("retry_task", parameters)));

      const taken = outcomes.filter(({ status }) => status === "success");
      for (const { status, error } of outcomes) if (status === "failed") expect(error).toContain(task_id);
      const ids = [...new Set(taken.map(({ result }) => String(result?.new_task_id ?? task_id)))];
      expect(ids).toHaveLength(1);
      const id = ids[0] ?? "";
      await waitFor(() => reported(id).filter(({ kind }) => kind === "task.started").length > (id === task_id ? 1 : 0));
      const started = reported(id).findLast(({ kind }) => kind === "task.started");
      expect(Date.parse(started?.occurred_at ?? "")).toBeGreaterThanOrEqual(dueMs - 1_000);
      await awaitEvent(await stage.submit({ name: "echo" }), "task.succeeded");
      expect(site.runsOf(task_id) + (id === task_id ? 0 : site.runsOf(id))).toBe(2);
    },
  },
  {
    name: "retry_task with a past due time runs immediately",
    appliesTo: byReference,
    async run(stage) {
      const { engine, site, send, awaitEvent } = stage;
      const task_id = await failed(stage);

      const outcome = await send("retry_task", { engine: engine.engine, task_id, eta: new Date().toISOString() });

      expect(outcome).toMatchObject({ status: "success", result: { task_id } });
      expect(outcome.result?.new_task_id ?? null).toBeNull();
      await awaitEvent(task_id, "task.succeeded");
      expect(site.runsOf(task_id)).toBe(2);
    },
  },
  {
    name: "requeue_dead_letter runs a dead letter again",
    appliesTo: advertising("requeue_dead_letter"),
    async run(stage) {
      const { engine, send, awaitEvent } = stage;
      const task_id = await failed(stage);

      const outcome = await send("requeue_dead_letter", { engine: engine.engine, task_id });

      expect(outcome).toMatchObject({ status: "success", result: { task_id } });
      await awaitEvent(String(outcome.result?.new_task_id ?? task_id), "task.succeeded");
    },
  },
  {
    name: "bulk_retry retries each task of its list separately and returns the outcome of each",
    appliesTo: advertising("bulk_retry"),
    async run(stage) {
      const { engine, site, submit, send, awaitEvent } = stage;
      const ids = [await failed(stage), await failed(stage), await failed(stage)];
      const bystander = await failed(stage);
      const well = await submit({ name: "echo" });
      await awaitEvent(well, "task.succeeded");
      const filter = { engine: engine.engine, task_ids: [...ids, well] };

      const outcome = await send("bulk_retry", { filter, max: 100 });

      expect(outcome.status).toBe("success");
      expect(outcome.result?.results).toHaveLength(4);
      for (const task_id of ids)
        expect(outcome.result?.results).toContainEqual(expect.objectContaining({ task_id, status: "success" }));
      expect(outcome.result?.results).toContainEqual({
        ...{ task_id: well, status: "failed" },
        error: expect.stringContaining(well),
      });
      for (const id of ids) await awaitEvent(id, "task.succeeded");
      expect([...ids, well, bystander].map((id) => site.runsOf(id))).toEqual([2, 2, 2, 1, 1]);
    },
  },
  {
    name: "reconcile_task returns the engine's state of a task",
    appliesTo: advertising("reconcile_task"),
    async run(stage) {
      const { engine, site, submit, freshQueue, gate, send, awaitEvent } = stage;
      const { path, open } = gate();
      const states = {
        pending: await submit({ queue: freshQueue(), name: "echo" }),
        started: await submit({ name: "gate", input: { path } }),
        success: await submit({ name: "echo" }),
        failure: await failed(stage),
        unknown: site.unknownTask(sharedWorker.queue),
      };
      await awaitEvent(states.started, "task.started");
      await awaitEvent(states.success, "task.succeeded");

      for (const [state, task_id] of Object.entries(states)) {
        const outcome = await waitFor(() => send("reconcile_task", { engine: engine.engine, task_id }));
        expect(outcome).toMatchObject({ status: "success", result: { task_id, engine_state: state } });
        const { finished_at, exception } = outcome.result ?? {};
        if (state === "success" || state === "failure") expect(Date.parse(String(finished_at))).toBeGreaterThan(0);
        if (state === "failure") expect(exception).toContain("no luck");
      }
      await open();
      await awaitEvent(states.started, "task.succeeded");
    },
  },
];
