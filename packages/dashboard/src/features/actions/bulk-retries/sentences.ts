import { type BulkRetryPlan, type BulkRetryRequest, plural } from "@svc/client";
import { age, count, printable } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";

const tasksOf = (amount: number): string => plural(amount, "task");

/** The progress in a few words, for a list. */
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
      return "Searching for matching tasks. Nothing is sent before the search is complete.";
    case "refused":
      return `Nothing was sent: ${printable(reason ?? "the request was refused")}. Narrow the filters and start again.`;
    case "cancelled":
      return "Cancelled before the search was complete. Nothing was sent.";
    case "in_progress":
      return counts.pending > 0
        ? "Sending tasks. You can leave this page."
        : "All tasks are sent. Waiting for their results.";
    case "paused":
      return `Paused with ${tasksOf(counts.pending)} left. Tasks already sent continue.`;
    case "blocked":
      return `${reason ? `It stopped: ${printable(reason)}.` : "It stopped."} ${tasksOf(counts.pending)} not sent. Fix the cause, then resume. The remaining tasks get a new time limit.`;
    case "succeeded":
      return counts.succeeded === 1 ? "The task was re-queued." : `All ${tasksOf(counts.succeeded)} were re-queued.`;
    case "failed":
      return "No task was retried. The list below shows why.";
    case "partial":
      return `${tasksOf(counts.succeeded)} retried, ${count(counts.failed)} not retried. The list below shows why.`;
    case "indeterminate":
      return `Outcome unknown for ${plural(counts.unknown, "retry", "retries")}: sent, but never confirmed. Nothing is sent again automatically. Check each task before you retry it.`;
    case "no_match":
      return "No task matched, so nothing was sent.";
  }
}

/** A warning if the rate is too low to send all tasks before the deadline; null otherwise. */
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
  return `At ${count(rate)} per minute the rest takes ${age(neededMs)}. About ${tasksOf(counts.pending - inTime)} will be left at the deadline.`;
}

const stallMs = 60_000;

/** Why a running bulk retry makes no progress; null while it does. `isStalled`: longer than its rate explains. */
export function stallNotice(
  request: BulkRetryRequest,
  plan: BulkRetryPlan | undefined,
  now: number,
): { text: string; isStalled: boolean } | null {
  if (request.status !== "in_progress") return null;
  const first = sentFirst(request, plan);
  const rate = plan?.rate_per_minute ?? null;
  const patienceMs = rate === null ? stallMs : Math.max(stallMs, (2 * 60_000) / rate);
  const stalledFor = now - instant(request.last_progress_at ?? request.created_at);
  if (stalledFor >= patienceMs) {
    const reason = first === null ? "" : ` ${first} The rest waits until the canary finishes or an agent is available.`;
    return { text: `No progress for ${age(stalledFor)}.${reason}`, isStalled: true };
  }
  if (first === null) return null;
  return { text: `${first} The rest waits until the canary finishes.`, isStalled: false };
}

/** The words for a bulk retry that has sent only its canary; null for others. */
function sentFirst({ counts }: BulkRetryRequest, plan: BulkRetryPlan | undefined) {
  const { pending, claimed, total } = counts;
  const size = plan?.canary_size ?? null;
  if (size === null || pending === 0 || claimed > 0 || total - pending !== size) return null;
  return `Canary of ${tasksOf(size)} sent.`;
}
