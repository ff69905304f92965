import { describe, expect, test } from "vitest";
import { childOutcomeOf } from "./child-outcome.ts";
import type { ChildInFlight } from "./children-store.ts";

const now = new Date("2026-05-20T12:00:00Z");
const later = new Date("2026-05-20T12:01:00Z");

const child = (given: Partial<ChildInFlight>): ChildInFlight => ({
  id: "child",
  task_id: "task-1",
  claim_deadline_at: later,
  command_status: "completed",
  command_result: null,
  command_error: null,
  command_timeout_at: later,
  ...given,
});
const withResult = (result: unknown) => childOutcomeOf(child({ command_result: JSON.stringify(result) }), now);

describe("a child whose command is completed", () => {
  test("succeeded when the result says so for its task, with the new task of the retry", () => {
    const entry = { task_id: "task-1", status: "success" };
    const succeeded = { end: "result_success", error: null, newTaskId: null };
    expect(withResult({ results: [{ task_id: "task-0", status: "failed" }, entry] })).toEqual(succeeded);
    expect(withResult({ results: [{ ...entry, new_task_id: "task-2" }] })).toEqual({
      ...succeeded,
      newTaskId: "task-2",
    });
    expect(withResult({ results: [{ ...entry, new_task_id: "task-1" }] })).toEqual(succeeded);
  });

  test("failed when the result says so for its task", () => {
    expect(withResult({ results: [{ task_id: "task-1", status: "failed", error: "it is locked" }] })).toMatchObject({
      end: "result_failed",
      error: "it is locked",
    });
  });

  test("has an unknown outcome when the result says so for its task", () => {
    const entry = { task_id: "task-1", status: "failed", error: "the broker hung up", outcome: "unknown" };
    expect(withResult({ results: [entry] })).toMatchObject({ end: "result_unknown", error: "the broker hung up" });
  });

  test.each([
    ["has an empty list", { results: [] }],
    ["has no list", { results: "none" }],
    ["does not name the task", { results: [null, { task_id: "task-2", status: "success" }] }],
  ])("has an unknown outcome when the result %s", (_what, result) => {
    expect(withResult(result)).toEqual({
      end: "result_unknown",
      error: "the result does not name the task",
      newTaskId: null,
    });
  });

  test.each(["skipped", "SUCCESS", "", null, true, undefined])("has an unknown outcome with status %j", (status) => {
    expect(withResult({ results: [{ task_id: "task-1", status, new_task_id: "task-2" }] })).toEqual({
      end: "result_unknown",
      error: "the result does not say whether the task was retried",
      newTaskId: null,
    });
  });

  test("succeeded when the agent reported only that the command succeeded", () => {
    expect(withResult({})).toMatchObject({ end: "result_success" });
    expect(childOutcomeOf(child({}), now)).toEqual({ end: "result_success", error: null, newTaskId: null });
  });
});

describe("a child whose command has failed", () => {
  const failedWith = (command_result: string | null, command_error: string | null = "the broker hung up") =>
    childOutcomeOf(child({ command_status: "failed", command_result, command_error }), now);

  test("failed, unless the agent reports an unknown outcome", () => {
    expect(failedWith(null)).toMatchObject({ end: "result_failed", error: "the broker hung up" });
    expect(failedWith('{"outcome":"unknown"}')).toMatchObject({ end: "result_unknown", error: "the broker hung up" });
  });

  test("failed whatever its error text says about the outcome", () => {
    expect(failedWith(null, "outcome unknown: the agent stopped")).toMatchObject({ end: "result_failed" });
  });
});

test("a child whose command has not ended is awaited until both time limits pass", () => {
  const waiting = { command_status: "dispatched" } as const;
  expect(childOutcomeOf(child(waiting), now)).toBeNull();
  expect(childOutcomeOf(child({ ...waiting, claim_deadline_at: now }), now)).toBeNull();
  expect(childOutcomeOf(child(waiting), later)).toMatchObject({ end: "claim_deadline", error: "no result in time" });
});
