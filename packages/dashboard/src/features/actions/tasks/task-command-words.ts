import type { TaskCommand } from "@svc/client";
import { nameText, printable } from "../../../ui/time/format.ts";
import { hasUnknownOutcome, wordsOfAction } from "../commands/words.ts";

const retry = ["Retried", "Retry"] as const;

/** What each action did to the task, and what it is called as a request. */
const words: Readonly<Record<string, readonly [done: string, request: string]>> = {
  retry_task: retry,
  bulk_retry: retry,
  cancel_task: ["Cancelled", "Cancel"],
  requeue_dead_letter: ["Requeued", "Requeue"],
};

/** `Retried by Ana` once it is done, else `Retry requested by Ana`. @param requester null where the role may not see who it was. */
export function commandTitle({ action, status }: TaskCommand, requester: string | null): string {
  const [done, request] = Object.hasOwn(words, action) ? (words[action] ?? retry) : [null, wordsOfAction(action)];
  const title = status === "completed" && done !== null ? done : `${request} requested`;
  return requester === null ? title : `${title} by ${requester}`;
}

/** How a command that did not succeed, or not yet, stands; empty for one that was carried out. */
export function commandOutcome({ status, error }: TaskCommand): string {
  const reason = printable(error ?? "");
  switch (status) {
    case "pending":
      return "Not sent yet";
    case "dispatched":
      return "Sent, no result yet";
    case "failed":
      if (!hasUnknownOutcome({ status, error, result: null })) return reason === "" ? "Failed" : `Failed: ${reason}`;
      return `Outcome unknown: ${reason.replace(/^outcome unknown: /, "")}`;
    case "timeout":
      return "Outcome unknown: no result arrived in time";
    case "cancelled":
      return "Cancelled before it was sent";
    default:
      return "";
  }
}

/** Who requested a command, for a role that may see it. */
export function requesterOf(command: TaskCommand, ownId: string): string {
  const { issued_by: id, issuer_email: email, issuer_display_name: name, api_key_name: key } = command;
  const person = id === null ? "a deleted account" : id === ownId ? "you" : nameText(name || email || "");
  return key === null ? person : `${person} with API key ${nameText(key)}`;
}
