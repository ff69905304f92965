import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import type { Case } from "../case.ts";
import { standing } from "../stage.ts";

/** What events tell of a task from its submission to its end. */
export const life: readonly Case[] = [
  {
    name: "a task that succeeds is told step by step, each step once",
    async run({ engine, submit, awaitTold, told, kindsOf }) {
      const id = await submit({ name: "echo", input: { to: 7 } });

      const succeeded = await awaitTold(id, "task.succeeded");

      expect(kindsOf(id)).toEqual([...engine.tells.beginning, "task.started", "task.succeeded"]);
      expect(told(id)[0]?.data).toMatchObject({ task_name: "echo", queue: standing.queue, kwargs: { to: 7 } });
      expect(told(id).every((event) => (event.data.attempt ?? 0) === 0)).toBe(true);
      expect((await awaitTold(id, "task.started")).data).toMatchObject({ worker: standing.name });
      expect(succeeded.data).toMatchObject({ worker: standing.name, result: { to: 7 } });
      const times = told(id).map((event) => Date.parse(event.occurred_at ?? ""));
      expect(times).toEqual([...times].sort((one, other) => one - other));
    },
  },
  {
    name: "a task that fails and is repeated is told attempt by attempt, up to its success",
    async run({ engine, submit, awaitTold, told, kindsOf }) {
      const id = await submit({ name: "fail", input: { message: "no luck", times: 2 }, attempts: 3, pauseMs: 50 });

      await awaitTold(id, "task.succeeded");

      const { beginning, repeating } = engine.tells;
      const again = ["task.started", "task.retried", ...repeating];
      expect(kindsOf(id)).toEqual([...beginning, ...again, ...again, "task.started", "task.succeeded"]);
      const attemptsOf = (kind: string) =>
        told(id).flatMap(({ kind: own, data }) => (own === kind ? data.attempt : []));
      expect(attemptsOf("task.started")).toEqual([0, 1, 2]);
      expect(attemptsOf("task.retried")).toEqual([0, 1]);
      expect((await awaitTold(id, "task.retried")).data.exception).toContain("no luck");
    },
  },
  {
    name: "a task without attempts left is told as failed once, with what it threw",
    async run({ engine, submit, awaitTold, kindsOf }) {
      const once = await submit({ name: "fail", input: { message: "out of order" } });
      const twice = await submit({ name: "fail", input: { message: "out of order" }, attempts: 2 });

      const failed = await awaitTold(once, "task.failed");
      const failedAgain = await awaitTold(twice, "task.failed");

      expect(kindsOf(once)).toEqual([...engine.tells.beginning, "task.started", "task.failed"]);
      expect(kindsOf(twice).filter((kind) => kind === "task.failed" || kind === "task.retried")).toEqual([
        "task.retried",
        "task.failed",
      ]);
      for (const { data } of [failed, failedAgain]) {
        expect(data.exception).toContain("out of order");
        expect(data.traceback).toContain("out of order");
      }
      expect(failed.data).toMatchObject({ attempt: 0, worker: standing.name });
      expect(failedAgain.data).toMatchObject({ attempt: 1 });
    },
  },
  {
    name: "a task for later is pending with its due time, and told once when it is due",
    async run({ engine, submit, awaitTold, told, kindsOf }) {
      const id = await submit({ name: "echo", delayMs: 400 });

      const started = await awaitTold(id, "task.started");
      await awaitTold(id, "task.succeeded");

      expect(kindsOf(id)).toEqual([...engine.tells.beginning, "task.started", "task.succeeded"]);
      const dueMs = Date.parse(String(told(id)[0]?.data.eta));
      expect(dueMs).toBeGreaterThan(Date.parse(told(id)[0]?.occurred_at ?? ""));
      expect(Date.parse(started.occurred_at ?? "")).toBeGreaterThanOrEqual(dueMs);
    },
  },
  {
    name: "progress that a task reports is no step of its life",
    async run({ engine, submit, awaitTold, kindsOf }) {
      const id = await submit({ name: "progress" });

      await awaitTold(id, "task.succeeded");

      expect(kindsOf(id)).toEqual([...engine.tells.beginning, "task.started", "task.succeeded"]);
    },
  },
  {
    name: "a task whose worker is killed is told again when it begins on another, and ends once",
    async run({ engine, site, submit, freshQueue, gate, awaitTold, told, kindsOf }) {
      const queue = freshQueue();
      const { path, open } = gate();
      const victim = await site.startWorker({ name: "w-victim", queues: [queue], slots: 1, isMortal: true });
      const id = await submit({ queue, name: "gate", input: { path } });
      await awaitTold(id, "task.started");

      await victim.kill();
      await site.startWorker({ name: "w-heir", queues: [queue], slots: 1, isMortal: true });
      await waitFor(() => site.runsOf(id) === 2, { that: "its second run" });
      await open();
      const succeeded = await awaitTold(id, "task.succeeded");

      const { beginning, afterCrash } = engine.tells;
      expect(kindsOf(id)).toEqual([
        ...[...beginning, "task.started"],
        ...[...afterCrash, "task.started"],
        "task.succeeded",
      ]);
      expect(succeeded.data).toMatchObject({ worker: "w-heir", attempt: 1 });
      const workers = told(id).flatMap(({ kind, data }) => (kind === "task.started" ? [data.worker] : []));
      expect(workers).toEqual(["w-victim", "w-heir"]);
    },
  },
];
