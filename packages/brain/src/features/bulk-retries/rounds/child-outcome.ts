import { parseJson, storableText, taskIdCharacters } from "@svc/protocol";
import type { ChildEnd } from "../states.ts";
import type { ChildInFlight } from "./children-store.ts";

export interface ChildOutcome {
  /** The move of its state. */
  readonly end: ChildEnd;
  readonly error: string | null;
  readonly newTaskId: string | null;
}

const maxErrorCharacters = 2000;

/** The outcome of a sent child; null while a result may still arrive. Without a result in time it stays unknown for good. */
export function childOutcomeOf(child: ChildInFlight, now: Date): ChildOutcome | null {
  switch (child.command_status) {
    case "completed":
      return ofResult(child);
    case "failed":
      return failedOr(readResult(child).outcome, child.command_error);
    case "cancelled":
      // It was never sent to an agent.
      return ended("command_cancelled", child.command_error ?? "the command was cancelled");
    case "timeout":
      return ended("command_timeout", child.command_error ?? "no result in time");
    case null:
      return unknown("its command was deleted");
    default: {
      // A command's time limit restarts when an agent takes it.
      const ends = [child.claim_deadline_at, child.command_timeout_at];
      const isOver = ends.every((at) => at === null || at <= now);
      return isOver ? ended("claim_deadline", "no result in time") : null;
    }
  }
}

const readResult = ({ command_result }: ChildInFlight) =>
  (command_result === null ? {} : parseJson(command_result)) as {
    readonly results?: unknown;
    readonly outcome?: unknown;
  };

/** A failure, unless the agent reports an unknown outcome. */
function failedOr(outcome: unknown, error: unknown): ChildOutcome {
  const text = typeof error === "string" ? error : "the agent reported a failure without a reason";
  return outcome === "unknown" ? unknown(text) : failed(text);
}

function ofResult(child: ChildInFlight): ChildOutcome {
  const { task_id } = child;
  const { results } = readResult(child);
  // An agent that had to shorten its result reports only that the command, which had this one task, succeeded.
  if (results === undefined) return succeeded(null);
  const entries = (Array.isArray(results) ? results : []) as ({ [name: string]: unknown } | null)[];
  const entry = entries.find((each) => each?.task_id === task_id);
  if (entry == null) return unknown("the result does not name the task");
  if (entry.status === "failed") return failedOr(entry.outcome, entry.error);
  if (entry.status !== "success") return unknown("the result does not say whether the task was retried");
  const { new_task_id: newId } = entry;
  const isNew = typeof newId === "string" && newId !== "" && newId !== task_id && newId.length <= taskIdCharacters;
  return succeeded(isNew ? storableText(newId) : null);
}

const succeeded = (newTaskId: string | null): ChildOutcome => ({ end: "result_success", error: null, newTaskId });
const failed = (error: string): ChildOutcome => ended("result_failed", error);
const unknown = (error: string): ChildOutcome => ended("result_unknown", error);
const ended = (end: ChildEnd, error: string): ChildOutcome => ({
  end,
  error: storableText(error.slice(0, maxErrorCharacters)),
  newTaskId: null,
});
