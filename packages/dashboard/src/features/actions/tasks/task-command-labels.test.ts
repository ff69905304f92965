import type { TaskCommand } from "@svc/client";
import { describe, expect, test } from "vitest";
import { commandOutcome, commandTitle, requesterOf } from "./task-command-labels.ts";

function command(given: Partial<TaskCommand> = {}): TaskCommand {
  return {
    id: "00000000-0000-4000-8000-000000000001",
    agent_id: null,
    action: "retry_task",
    is_repeatable: false,
    status: "completed",
    error: null,
    issued_at: "2026-11-20T13:55:00.000Z",
    dispatched_at: null,
    completed_at: null,
    issued_by: "ana",
    issuer_email: "ana@example.org",
    issuer_display_name: "Ana",
    api_key_name: null,
    bulk_retry_id: null,
    ...given,
  };
}

describe("a command of a task", () => {
  test.each<[TaskCommand["action"], string, string]>([
    ["retry_task", "Retried by Ana", "Retry requested by Ana"],
    ["bulk_retry", "Retried by Ana", "Retry requested by Ana"],
    ["cancel_task", "Cancelled by Ana", "Cancel requested by Ana"],
    ["requeue_dead_letter", "Requeued by Ana", "Requeue requested by Ana"],
    ["submit_task", "Submit task requested by Ana", "Submit task requested by Ana"],
  ])("%s has a title for the request and one once it is done", (action, done, requested) => {
    expect(commandTitle(command({ action }), "Ana")).toBe(done);
    expect(commandTitle(command({ action, status: "dispatched" }), "Ana")).toBe(requested);
  });

  test("omits the requester if the role may not see it", () => {
    expect(commandTitle(command(), null)).toBe("Retried");
    expect(commandTitle(command({ status: "failed" }), null)).toBe("Retry requested");
  });

  test.each<[Partial<TaskCommand>, string]>([
    [{}, ""],
    [{ status: "pending" }, "Not sent yet"],
    [{ status: "dispatched" }, "Sent, no result yet"],
    [{ status: "failed", error: "the job is locked" }, "Failed: the job is locked"],
    [{ status: "failed", error: "outcome unknown: the agent died" }, "Outcome unknown: the agent died"],
    [{ status: "timeout", dispatched_at: "2026-03-01T06:00:00.000Z" }, "Outcome unknown: no result arrived in time"],
    [{ status: "timeout", dispatched_at: null }, "Timed out before it was sent"],
    [{ status: "timeout", is_repeatable: true }, "Outcome unknown: no result arrived in time"],
    [{ status: "cancelled", error: "agent revoked" }, "Cancelled before it was sent"],
  ])("%o has an outcome", (given, outcome) => {
    expect(commandOutcome(command(given))).toBe(outcome);
  });

  test.each<[Partial<TaskCommand>, string]>([
    [{}, "Ana"],
    [{ issuer_display_name: null }, "ana@example.org"],
    [{ issued_by: "me" }, "you"],
    [{ issued_by: null, issuer_email: null, issuer_display_name: null }, "a deleted account"],
    [{ api_key_name: "deploy bot" }, "Ana with API key deploy bot"],
    [{ issuer_display_name: "a\u202Eb" }, "a\\u202eb"],
  ])("%o has a requester", (given, requester) => {
    expect(requesterOf(command(given), "me")).toBe(requester);
  });
});
