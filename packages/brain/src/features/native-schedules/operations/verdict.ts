import type { CommandRow, ExternalControlOperationRow, ScheduleRow } from "../../../schema/tables/index.ts";

/** How long a scheduler has to report the new state after its agent reported success. */
export const confirmationMs = 60_000;

export interface OperationFacts {
  readonly desired: boolean | null;
  /** Undefined when it was deleted. */
  readonly command: Pick<CommandRow, "status" | "error" | "result" | "dispatched_at" | "completed_at"> | undefined;
  readonly isAgentOnline: boolean;
  /** The mirrored schedule; undefined when its scheduler no longer has it. */
  readonly schedule: Pick<ScheduleRow, "is_enabled"> | undefined;
}

export interface Verdict {
  readonly status: Exclude<ExternalControlOperationRow["status"], "pending">;
  readonly error: string | null;
  /** The agent received the command, and its session ended before it reported a result. */
  readonly isExecutorLost: boolean;
}

/** The outcome of an operation; null while it is pending. */
export function verdictOf({ desired, command, isAgentOnline, schedule }: OperationFacts, now: Date): Verdict | null {
  if (command === undefined) return ambiguous("The command was deleted before its outcome was known.");
  switch (command.status) {
    case "pending":
      return null;
    case "dispatched":
      return isAgentOnline ? null : executorLost;
    case "timeout":
      if (command.dispatched_at === null)
        return failed("The agent did not receive the command in time. Nothing changed.");
      return isAgentOnline
        ? ambiguous("The agent sent no result in time. The command may have taken effect.")
        : executorLost;
    case "completed":
      break;
    default:
      return isOutcomeUnknown(command.result) ? ambiguous(command.error) : failed(command.error);
  }
  if (schedule === undefined) return failed("The schedule no longer exists.");
  if (schedule.is_enabled === desired) return { status: "succeeded", error: null, isExecutorLost: false };
  if (now.getTime() < (command.completed_at?.getTime() ?? 0) + confirmationMs) return null;
  return isAgentOnline ? failed("The scheduler did not report the new state within 60 seconds.") : executorLost;
}

const failed = (error: string | null): Verdict => ({ status: "failed", error, isExecutorLost: false });
const ambiguous = (error: string | null): Verdict => ({ status: "ambiguous", error, isExecutorLost: false });
const executorLost: Verdict = {
  status: "ambiguous",
  error: "The agent disconnected before the outcome was known. The command may have taken effect.",
  isExecutorLost: true,
};

/** An agent reports with a failure whether the command may have taken effect. */
const isOutcomeUnknown = (result: string | null): boolean =>
  result !== null && (JSON.parse(result) as { outcome?: unknown }).outcome === "unknown";
