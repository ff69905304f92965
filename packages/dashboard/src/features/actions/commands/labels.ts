import { ApiProblem, type Command } from "@svc/client";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { printable } from "../../../ui/time/format.ts";

/** Labels of the actions; `bulk_retry` as the label of one command. */
export const actionLabels: Readonly<Record<string, string>> = {
  retry_task: "Retry task",
  cancel_task: "Cancel task",
  bulk_retry: "Retry tasks",
  purge_queue: "Purge queue",
  requeue_dead_letter: "Requeue dead letter",
  "dlq.list": "List dead letters",
  restart_worker: "Restart worker",
  pool_grow: "Grow pool",
  pool_shrink: "Shrink pool",
  add_consumer: "Add consumer",
  cancel_consumer: "Cancel consumer",
  rate_limit: "Limit rate",
  reconcile_task: "Check task",
  submit_task: "Submit task",
  "schedule.fire": "Fire schedule",
  "schedule.trigger_now": "Run schedule now",
  "schedule.trigger_now.via_scheduler": "Run schedule now (native)",
  "schedule.enable": "Enable schedule",
  "schedule.disable": "Disable schedule",
  "schedule.resync": "Resync schedules",
};

export const actionLabel = (action: string): string => actionLabels[action] ?? printable(action);

/** What says how far a command got. */
export type Sending = Pick<Command, "action" | "is_repeatable" | "status" | "dispatched_at">;

/**
 * Whether a command timed out before the agent fetched it, so that it never ran. A repeatable one returns to `pending` after a failed
 * send, although the agent may have received it.
 */
export const isUnsent = ({
  is_repeatable: isRepeatable,
  status,
  dispatched_at: sent,
}: Omit<Sending, "action">): boolean => status === "timeout" && sent === null && !isRepeatable;

/** The meaning of a status in a sentence. */
export function statusSentence(command: Sending & Pick<Command, "result" | "error">): string {
  switch (command.status) {
    case "pending":
      return "Waiting for the agent to fetch it.";
    case "dispatched":
      return "Sent to the agent. No result yet.";
    case "completed":
      return "Completed by the agent.";
    case "failed": {
      if (!hasUnknownOutcome(command))
        return command.error === null ? "Failed." : `Failed: ${printable(command.error)}`;
      return command.error === null ? "Outcome unknown." : unknownOutcomeText(command.error);
    }
    case "timeout":
      if (isUnsent(command)) return "Timed out before the agent fetched it. It did not run.";
      return "Outcome unknown: no result arrived in time. Check the target before you send it again.";
    case "cancelled":
      return "Cancelled before the agent received it.";
  }
}

/** The error of a command whose outcome is unknown, which the text states once. */
export function unknownOutcomeText(error: string): string {
  const text = printable(error.replace(/^outcome unknown: /, ""));
  return text.includes("Outcome unknown") ? text : `Outcome unknown: ${text}`;
}

const reasons: Readonly<Record<string, string>> = {
  agent_offline: "No agent that can do this is online.",
  engine_not_advertised: "No online agent serves this engine.",
  capability_missing: "The agent for this engine can't do this.",
  retry_contract_missing: "The agent for this engine can't retry safely. Update it first.",
  overrides_required:
    "This engine retries by resubmitting the task, so it needs the arguments. Choose “Changed arguments”.",
  idempotency_key_in_use: "The same key was used for a different request. Close this and start again.",
  project_archived: "The project is archived. Restore it first.",
  task_ids_required: "No tasks were selected.",
};

/** The first part of an error message: `nothing` if nothing was done, else that the outcome is unknown. */
export const outcomeMessage = (isLost: boolean, nothing: string, what = "the request"): string =>
  isLost ? `We couldn't confirm ${what}. It's safe to try again here: it won't run twice.` : nothing;

/** Why a command was not created. */
export function refusalMessage(error: unknown): string {
  if (!(error instanceof ApiProblem)) return causeOf(error);
  const { reason, errors, resource } = error.details;
  if (typeof reason === "string" && Object.hasOwn(reasons, reason)) return reasons[reason] ?? error.message;
  const first = Array.isArray(errors) ? (errors[0] as { loc?: unknown[]; message?: string } | undefined) : undefined;
  if (error.code === "validation_error" && first?.message) {
    const field = Array.isArray(first.loc) ? first.loc.slice(1).join(".") : "";
    return printable(`${field === "" ? "" : `${field}: `}${first.message}`);
  }
  if (error.code === "not_found" && resource === "agent") return "The agent was revoked.";
  return causeOf(error);
}

/** How agents, and older ones, state an unknown outcome in their errors. "queue x is unknown" is an ordinary failure. */
const unknownOutcomeError = /\boutcome unknown\b|; whether [^;]+ is unknown(?:;|$)|it may still take effect/i;

/** Whether a command failed with an unknown outcome. Viewers do not see the result, only the error. */
export function hasUnknownOutcome({ status, result, error }: Pick<Command, "status" | "result" | "error">): boolean {
  if (status !== "failed") return false;
  const { outcome } = (result ?? {}) as { outcome?: unknown };
  return outcome === "unknown" || unknownOutcomeError.test(error ?? "");
}
