import type { TaskCommand } from "@svc/client";
import { nameText, printable } from "../../../ui/time/format.ts";
import { actionLabel, hasUnknownOutcome, isUnsent, unknownOutcomeText } from "../commands/labels.ts";

const retry = ["Retried", "Retry"] as const;

/** The labels of each action once done and as a request. */
const labels: Readonly<Record<string, readonly [done: string, request: string]>> = {
  retry_task: retry,
  bulk_retry: retry,
  cancel_task: ["Cancelled", "Cancel"],
  requeue_dead_letter: ["Requeued", "Requeue"],
};

/** `Retried by Ana` once it is done, else `Retry requested by Ana`. @param requester null if the role may not see it */
export function commandTitle({ action, status }: TaskCommand, requester: string | null): string {
  const [done, request] = Object.hasOwn(labels, action) ? (labels[action] ?? retry) : [null, actionLabel(action)];
  const title = status === "completed" && done !== null ? done : `${request} requested`;
  return requester === null ? title : `${title} by ${requester}`;
}

/** The outcome of a command; empty if it succeeded. */
export function commandOutcome(command: TaskCommand): string {
  const { status, error } = command;
  const reason = printable(error ?? "");
  switch (status) {
    case "pending":
      return "Not sent yet";
    case "dispatched":
      return "Sent, no result yet";
    case "failed":
      if (!hasUnknownOutcome({ status, error, result: null })) return reason === "" ? "Failed" : `Failed: ${reason}`;
      return unknownOutcomeText(error ?? "");
    case "timeout":
      return isUnsent(command) ? "Timed out before it was sent" : "Outcome unknown: no result arrived in time";
    case "cancelled":
      return "Cancelled before it was sent";
    default:
      return "";
  }
}

/** The requester of a command, for roles that may see it. */
export function requesterOf(command: TaskCommand, ownId: string): string {
  const { issued_by: id, issuer_email: email, issuer_display_name: name, api_key_name: key } = command;
  const person = id === null ? "a deleted account" : id === ownId ? "you" : nameText(name || email || "");
  return key === null ? person : `${person} with API key ${nameText(key)}`;
}
