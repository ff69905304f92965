import { ApiProblem, type Command } from "@svc/client";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { printable } from "../../../ui/time/format.ts";

/** What each action does, for people; `bulk_retry` as an entry of a list. */
export const actionWords: Readonly<Record<string, string>> = {
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
};

export const wordsOfAction = (action: string): string => actionWords[action] ?? printable(action);

/** What a status means, in a sentence. */
export function statusSentence(command: Pick<Command, "status" | "result" | "error">): string {
  switch (command.status) {
    case "pending":
      return "It waits for its agent to fetch it.";
    case "dispatched":
      return "Its agent has it. The result has not come yet.";
    case "completed":
      return "The agent did it.";
    case "failed": {
      const says = hasUnknownOutcome(command) ? "Nobody knows whether it took effect" : "The agent could not do it";
      return command.error === null ? `${says}.` : `${says}: ${printable(command.error)}`;
    }
    case "timeout":
      return "No result came in time. It may or may not have run: look at its target before you send it again.";
    case "cancelled":
      return "It was taken back before its agent got it.";
  }
}

const reasons: Readonly<Record<string, string>> = {
  agent_offline: "No agent is online that could do it.",
  engine_not_advertised: "No online agent serves this engine.",
  capability_missing: "The agent of this engine cannot do this.",
  retry_contract_missing: "The agent of this engine does not retry safely. Update it first.",
  overrides_required:
    "This engine retries by submitting the task again, so it needs the inputs. Choose “With changed inputs”.",
  idempotency_key_in_use: "The same request was made before with other content. Close this and begin again.",
  project_archived: "The project is archived. Restore it first.",
  task_ids_required: "No task was named.",
};

/** What a refusal begins with: `nothing` where nothing was done, else that nobody knows. */
export const outcomeWords = (isLost: boolean, nothing: string, what = "it"): string =>
  isLost ? `Whether ${what} was asked for is not known. Pressed again here, it is not made twice.` : nothing;

/** Why a command was not made, in words. */
export function refusalWords(error: unknown): string {
  if (!(error instanceof ApiProblem)) return causeOf(error);
  const { reason, errors, resource } = error.details;
  if (typeof reason === "string" && Object.hasOwn(reasons, reason)) return reasons[reason] ?? error.message;
  const first = Array.isArray(errors) ? (errors[0] as { loc?: unknown[]; message?: string } | undefined) : undefined;
  if (error.code === "validation_error" && first?.message) {
    const field = Array.isArray(first.loc) ? first.loc.slice(1).join(".") : "";
    return printable(`${field === "" ? "" : `${field}: `}${first.message}`);
  }
  if (error.code === "not_found" && resource === "agent") return "The agent is not here any more: it was revoked.";
  return causeOf(error);
}

/** What older agents say in a failure of which they do not know how it ended; "queue x is unknown" is a plain refusal. */
const inWords = /^outcome unknown:|; whether [^;]+ is unknown(?:;|$)/;

/** Whether a command failed and its agent does not know if it took effect. The result is hidden from viewers, who have the words alone. */
export function hasUnknownOutcome({ status, result, error }: Pick<Command, "status" | "result" | "error">): boolean {
  if (status !== "failed") return false;
  const { outcome } = (result ?? {}) as { outcome?: unknown };
  return outcome === "unknown" || inWords.test(error ?? "");
}
