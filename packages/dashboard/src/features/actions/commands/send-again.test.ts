import type { Command, CommandStatus } from "@svc/client";
import { cutNote, omittedMembersNote } from "@svc/protocol/markers";
import { describe, expect, test } from "vitest";
import { canSendAgain, requestOf } from "./send-again.ts";

const ended = (action: string, status: CommandStatus, error: string | null = null, result: unknown = null) =>
  canSendAgain({
    action: action as Command["action"],
    is_repeatable: action === "cancel_task",
    status,
    dispatched_at: "2026-03-01T06:00:00.000Z",
    error,
    result,
  });
const request = (action: string, payload: Record<string, unknown>) =>
  requestOf({ action: action as Command["action"], payload });

describe("a command is offered to be sent again", () => {
  test.each([
    ["cancel_task", "timeout", true],
    ["cancel_task", "failed", true],
    ["cancel_task", "cancelled", true],
    ["cancel_task", "completed", false],
    ["cancel_task", "dispatched", false],
    ["retry_task", "failed", true],
    ["retry_task", "cancelled", true],
    ["retry_task", "timeout", false],
    ["restart_worker", "timeout", false],
    ["purge_queue", "failed", false],
    ["dlq.list", "failed", false],
    ["constructor", "failed", false],
  ] as const)("%s that is %s: %o", (action, status, isOffered) => {
    expect(ended(action, status)).toBe(isOffered);
  });

  test("after a timeout also if no agent fetched it", () => {
    const unsent = { status: "timeout", is_repeatable: false, dispatched_at: null, error: null, result: null } as const;
    expect(canSendAgain({ ...unsent, action: "retry_task" })).toBe(true);
    expect(canSendAgain({ ...unsent, action: "restart_worker" })).toBe(true);
  });

  test.each([
    "outcome unknown: the agent stopped while the command was running. Check the engine before you repeat it",
    "Redis: connection lost. Outcome unknown: the command may have run.",
    "1 of 2 processes did not answer in time. 0 with a worker w did. Outcome unknown at the others.",
    "timed out after 30 s, it may still take effect",
    "timed out after 30 s; whether it takes effect is unknown",
    "Redis: nothing listens there; whether the command was carried out is unknown",
    "mail-1: 1 of 2 processes have not answered in time, 0 with a worker w have; whether the others did it is unknown; mail-2: offline",
  ])("not after %o, unless repeating is harmless", (error) => {
    expect(ended("retry_task", "failed", error)).toBe(false);
    expect(ended("cancel_task", "failed", error)).toBe(true);
  });

  test("not after a failure whose outcome is unknown, whatever its message, unless repeating is harmless", () => {
    const unknown = { outcome: "unknown" };
    expect(ended("retry_task", "failed", "the broker hung up", unknown)).toBe(false);
    expect(ended("cancel_task", "failed", "the broker hung up", unknown)).toBe(true);
  });

  test.each([
    "the queue mail is unknown",
    "unsupported: the worker is unknown; nothing was done",
    "not carried out: the agent stopped before the command started",
    "timed out after 30 s behind other commands, it was not started",
  ])("also after %o, when nothing was done", (error) => {
    expect(ended("retry_task", "failed", error)).toBe(true);
  });
});

describe("the repeated request", () => {
  test("has the same body, without what the service added", () => {
    const payload = { engine: "bullmq", task_id: "a", eta: null, task_name: "mail", override_args: null };
    expect(request("retry_task", payload)).toMatchObject({
      engine: "bullmq",
      capability: "retry_task",
      body: { engine: "bullmq", task_id: "a" },
    });
    const filter = { engine: "celery", task_ids: ["a", "b"] };
    expect(request("bulk_retry", { filter, max: 2 })).toMatchObject({ engine: "celery", body: { filter, max: 2 } });
  });

  test("shrinks the pool again", () => {
    const payload = { engine: "bullmq", worker_name: "w", delta: 2 };
    expect(request("pool_shrink", payload)?.body).toEqual({ ...payload, delta: -2 });
    expect(request("pool_grow", payload)?.body).toEqual(payload);
  });

  test("is null without an engine, or with redacted or truncated inputs", () => {
    expect(request("restart_worker", { worker_name: "w" })).toBeNull();
    expect(request("retry_task", {})).toBeNull();
    const payload = { engine: "bullmq", task_id: "a", override_kwargs: {} };
    expect(request("retry_task", { ...payload, override_args: ["whole"] })).not.toBeNull();
    for (const part of ["[REDACTED]", `Dear ...${cutNote(9)}`, omittedMembersNote(3)])
      expect(request("retry_task", { ...payload, override_args: [part] })).toBeNull();
  });

  test("limits a worker's rate only if an agent supports that", () => {
    const limit = { engine: "bullmq", task_name: "mail", rate: "10/m" };
    expect(request("rate_limit", { ...limit, worker_name: null })).toMatchObject({
      capability: "rate_limit",
      body: limit,
    });
    expect(request("rate_limit", { ...limit, worker_name: "w" })?.capability).toBe("rate_limit_of_worker");
  });
});
