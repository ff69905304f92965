import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import type { Case } from "../case.ts";
import { sharedWorker } from "../stage.ts";

/** The events of a task from its submission to its end. */
export const life: readonly Case[] = [
  {
    name: "a task that succeeds is reported step by step, each step once",
    async run({ engine, submit, awaitEvent, reported, kindsOf }) {
      const id = await submit({ name: "echo", input: { to: 7 } });

      const succeeded = await awaitEvent(id, "task.succeeded");

      expect(kindsOf(id)).toEqual([...engine.reports.beginning, "task.started", "task.succeeded"]);
      expect(reported(id)[0]?.data).toMatchObject({ task_name: "echo", queue: sharedWorker.queue, kwargs: { to: 7 } });
      expect(reported(id).every((event) => (event.data.attempt ?? 0) === 0)).toBe(true);
      expect((await awaitEvent(id, "task.started")).data).toMatchObject({ worker: sharedWorker.name });
      expect(succeeded.data).toMatchObject({ worker: sharedWorker.name, result: { to: 7 } });
      const times = reported(id).map((event) => Date.parse(event.occurred_at ?? ""));
      expect(times).toEqual([...times].sort((one, other) => one - other));
    },
  },
  {
    name: "a task that fails and is retried is reported attempt by attempt, up to its success",
    async run({ engine, submit, awaitEvent, reported, kindsOf }) {
      const id = await submit({ name: "fail", input: { message: "no luck", times: 2 }, attempts: 3, pauseMs: 50 });

      await awaitEvent(id, "task.succeeded");

      const { beginning, repeating } = engine.reports;
      const again = ["task.started", "task.retried", ...repeating];
      expect(kindsOf(id)).toEqual([...beginning, ...again, ...again, "task.started", "task.succeeded"]);
      const attemptsOf = (kind: string) =>
        reported(id).flatMap(({ kind: own, data }) => (own === kind ? data.attempt : []));
      expect(attemptsOf("task.started")).toEqual([0, 1, 2]);
      expect(attemptsOf("task.retried")).toEqual([0, 1]);
      expect((await awaitEvent(id, "task.retried")).data.exception).toContain("no luck");
    },
  },
  {
    name: "a task without attempts left is reported as failed once, with its error",
    async run({ engine, submit, awaitEvent, kindsOf }) {
      const once = await submit({ name: "fail", input: { message: "out of order" } });
      const twice = await submit({ name: "fail", input: { message: "out of order" }, attempts: 2 });

      const failed = await awaitEvent(once, "task.failed");
      const failedAgain = await awaitEvent(twice, "task.failed");

      expect(kindsOf(once)).toEqual([...engine.reports.beginning, "task.started", "task.failed"]);
      expect(kindsOf(twice).filter((kind) => kind === "task.failed" || kind === "task.retried")).toEqual([
        "task.retried",
        "task.failed",
      ]);
      for (const { data } of [failed, failedAgain]) {
        expect(data.exception).toContain("out of order");
        expect(data.traceback).toContain("out of order");
      }
      expect(failed.data).toMatchObject({ attempt: 0, worker: sharedWorker.name });
      expect(failedAgain.data).toMatchObject({ attempt: 1 });
    },
  },
  {
    name: "a delayed task is pending with its due time, and reported once when it is due",
    async run({ engine, submit, awaitEvent, reported, kindsOf }) {
      const id = await submit({ name: "echo", delayMs: 400 });

      const started = await awaitEvent(id, "task.started");
      await awaitEvent(id, "task.succeeded");

      expect(kindsOf(id)).toEqual([...engine.reports.beginning, "task.started", "task.succeeded"]);
      const dueMs = Date.parse(String(reported(id)[0]?.data.eta));
      expect(dueMs).toBeGreaterThan(Date.parse(reported(id)[0]?.occurred_at ?? ""));
      expect(Date.parse(started.occurred_at ?? "")).toBeGreaterThanOrEqual(dueMs);
    },
  },
  {
    name: "a task's progress creates no event",
    async run({ engine, submit, awaitEvent, kindsOf }) {
      const id = await submit({ name: "progress" });

      await awaitEvent(id, "task.succeeded");

      expect(kindsOf(id)).toEqual([...engine.reports.beginning, "task.started", "task.succeeded"]);
    },
  },
  {
    name: "a task whose worker is killed is reported again when it starts on another one, and finishes once",
    async run({ engine, site, submit, freshQueue, gate, awaitEvent, reported, kindsOf }) {
      const queue = freshQueue();
      const { path, open } = gate();
      const victim = await site.startWorker({ name: "w-victim", queues: [queue], concurrency: 1, isKilledLater: true });
      const id = await submit({ queue, name: "gate", input: { path } });
      await awaitEvent(id, "task.started");

      await victim.kill();
      await site.startWorker({ name: "w-successor", queues: [queue], concurrency: 1, isKilledLater: true });
      await waitFor(() => site.runsOf(id) === 2, { that: "its second run" });
      await open();
      const succeeded = await awaitEvent(id, "task.succeeded");

      const { beginning, afterCrash } = engine.reports;
      expect(kindsOf(id)).toEqual([
        ...[...beginning, "task.started"],
        ...[...afterCrash, "task.started"],
        "task.succeeded",
      ]);
      expect(succeeded.data).toMatchObject({ worker: "w-successor", attempt: 1 });
      const workers = reported(id).flatMap(({ kind, data }) => (kind === "task.started" ? [data.worker] : []));
      expect(workers).toEqual(["w-victim", "w-successor"]);
    },
  },
];
