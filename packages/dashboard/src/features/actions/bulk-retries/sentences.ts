import type { BulkRetryPlan, BulkRetryRequest } from "@svc/client";
import { age, count, printable } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";

const tasksOf = (amount: number): string => `${count(amount)} ${amount === 1 ? "task" : "tasks"}`;
const isAre = (amount: number): string => (amount === 1 ? "is" : "are");

/** How far it is, in a few words for a list. */
export function progressText({ counts, sealing }: Pick<BulkRetryRequest, "counts" | "sealing">): string {
  if (sealing !== null) return `${tasksOf(sealing.found)} found so far`;
  const { total, unobserved, failed, unknown } = counts;
  const done = unobserved === 0 ? tasksOf(total) : `${count(total - unobserved)} of ${tasksOf(total)} done`;
  const wrong = [failed > 0 && `${count(failed)} not retried`, unknown > 0 && `${count(unknown)} outcome unknown`];
  return [done, ...wrong].filter(Boolean).join(", ");
}

/** What its status means, and what to do next. */
export function statusSentence({ status, counts, blocked_reason: reason }: BulkRetryRequest): string {
  switch (status) {
    case "sealing":
      return "Searching for the tasks that match. Nothing is sent until the search is complete. You can leave this page.";
    case "refused":
      return `Nothing was sent: ${printable(reason ?? "the request was refused")}. Narrow the filters and start again.`;
    case "cancelled":
      return "Cancelled before the search was complete. Nothing was sent.";
    case "in_progress":
      return counts.pending > 0
        ? "Its tasks are sent one after the other. You can leave this page: it goes on."
        : "All of its tasks are sent. Their outcome is awaited.";
    case "paused":
      return `Nothing more is sent until somebody resumes it: ${tasksOf(counts.pending)} ${isAre(counts.pending)} left. What was sent goes on.`;
    case "blocked":
      return `${reason ? `It stopped: ${printable(reason)}.` : "It stopped."} ${tasksOf(counts.pending)} ${isAre(counts.pending)} not sent. Look at the cause, then resume it: it goes on with them, with its time anew.`;
    case "succeeded":
      return "The engines took the retry of every task. How each of them then ended, its task says.";
    case "failed":
      return "None of its tasks was retried. The list below says why of each.";
    case "partial":
      return `${tasksOf(counts.succeeded)} ${counts.succeeded === 1 ? "was" : "were"} retried, ${count(counts.failed)} not: the list below says why. What failed may be retried again.`;
    case "indeterminate":
      return counts.unknown === 1
        ? "Nobody knows of one task whether its retry ran: it was sent, and no result came in time. It is never sent again by itself. Look at it before you retry it."
        : `Nobody knows of ${tasksOf(counts.unknown)} whether their retries ran: they were sent, and no result came in time. They are never sent again by themselves. Look at each of them before you retry it.`;
    case "no_match":
      return "No task matched when it was made, so nothing was sent. Look at its filter in the task list.";
  }
}

/** That its rate leaves some of its tasks unsent when its time is over; null where it does not. */
export function slowRate(
  { status, counts, deadline_at: deadline }: BulkRetryRequest,
  plan: BulkRetryPlan | undefined,
  now: number,
): string | null {
  const rate = plan?.rate_per_minute ?? null;
  if (status !== "in_progress" || rate === null) return null;
  const leftMs = instant(deadline) - now;
  const inTime = Math.floor((Math.max(0, leftMs) / 60_000) * rate);
  if (counts.pending <= inTime + 1) return null;
  const neededMs = (counts.pending / rate) * 60_000;
  return `At ${count(rate)} in a minute the rest takes ${age(neededMs)}, and its time is over before: with about ${tasksOf(counts.pending - inTime)} left it stops, until somebody resumes it.`;
}

const stillMs = 60_000;

/** Why a running one does not move; null while it does, or could. */
export function standingStill(
  request: BulkRetryRequest,
  plan: BulkRetryPlan | undefined,
  now: number,
): { words: string; isWrong: boolean } | null {
  if (request.status !== "in_progress") return null;
  const first = sentFirst(request, plan);
  const rate = plan?.rate_per_minute ?? null;
  const patienceMs = rate === null ? stillMs : Math.max(stillMs, (2 * 60_000) / rate);
  const stillFor = now - instant(request.last_progress_at ?? request.created_at);
  if (stillFor >= patienceMs) {
    const reason = first === null ? "" : ` ${first.sent} The rest waits until ${first.ended}, or for an agent.`;
    return { words: `Nothing has moved for ${age(stillFor)}.${reason}`, isWrong: true };
  }
  if (first === null) return null;
  return { words: `${first.sent} The rest waits until ${first.ended}.`, isWrong: false };
}

/** Of one that has sent its first tasks and nothing more: that it has, and what it waits for. */
function sentFirst({ counts }: BulkRetryRequest, plan: BulkRetryPlan | undefined) {
  const { pending, claimed, total } = counts;
  const size = plan?.canary_size ?? null;
  if (size === null || pending === 0 || claimed > 0 || total - pending !== size) return null;
  return {
    sent: `The first ${tasksOf(size)} ${size === 1 ? "was" : "were"} sent.`,
    ended: size === 1 ? "it has ended" : "they have ended",
  };
}
