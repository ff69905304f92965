import type { TaskEvent, TaskRow } from "@svc/client";
import { duration, printable } from "../../../../ui/time/format.ts";
import type { Attempt } from "../attempts/attempts.ts";
import { shortException } from "../family/trace.ts";

export interface Step {
  atMs: number;
  text: string;
}

/** The order of events with the same time and attempt, as in the server. */
const ranks = [
  "task.sent",
  "task.received",
  "task.started",
  "task.retried",
  "task.rejected",
  "task.revoked",
  "task.failed",
  "task.succeeded",
];

/** The task's history as sentences in time order, from its own events alone. */
export function storyOf(task: TaskRow, events: readonly TaskEvent[], attempts: readonly Attempt[]): Step[] {
  const steps = events
    .map((event) => ({ event, atMs: Date.parse(event.occurred_at) }))
    .sort(
      (a, b) =>
        a.atMs - b.atMs ||
        attemptOf(a.event) - attemptOf(b.event) ||
        ranks.indexOf(a.event.kind) - ranks.indexOf(b.event.kind),
    )
    .flatMap(({ event, atMs }) => {
      const text = textOf(event, task, attempts);
      return text === null ? [] : [{ atMs, text }];
    });
  const sum = sumOf(task, attempts);
  const last = steps.at(-1);
  if (sum !== null && last) steps.push({ atMs: last.atMs, text: sum });
  const etaMs = task.eta ? Date.parse(task.eta) : 0;
  if (etaMs > (last?.atMs ?? Date.parse(task.received_at))) steps.push({ atMs: etaMs, text: "Earliest start (ETA)." });
  return steps;
}

const attemptOf = ({ payload }: TaskEvent): number => (typeof payload.attempt === "number" ? payload.attempt : 0);

function textOf(event: TaskEvent, task: TaskRow, attempts: readonly Attempt[]): string | null {
  const { payload } = event;
  const number = attemptOf(event);
  const attempt = attempts.find((one) => one.number === number);
  const worker = typeof payload.worker === "string" ? ` on ${printable(payload.worker)}` : "";
  const which = attempts.length > 1 || number > 0 ? `Attempt ${number + 1} ` : "";
  const does = (word: string) => (which === "" ? `${word[0]?.toUpperCase()}${word.slice(1)}` : which + word);
  const took = typeof payload.runtime_ms === "number" ? ` after ${duration(payload.runtime_ms)}` : ranFor(attempt);
  switch (event.kind) {
    case "task.sent":
      return `Added to queue ${printable(String(payload.queue ?? task.queue ?? "unknown"))}.`;
    case "task.received":
      return `Received by the engine${worker}.`;
    case "task.started": {
      const waited = typeof payload.wait_ms === "number" ? `, after waiting ${duration(payload.wait_ms)}` : "";
      return `${does("started")}${worker}${waited}.`;
    }
    case "task.succeeded":
      return `${does("succeeded")}${took}.`;
    case "task.failed":
      return `${does("failed")}${took}: ${firstLine(payload.exception)}`;
    case "task.retried":
      return `${does("failed")}${took} and will be retried: ${firstLine(payload.exception)}`;
    case "task.revoked":
      return "Revoked: cancelled or removed before it finished.";
    case "task.rejected":
      return `Rejected by the worker: ${firstLine(payload.exception)}`;
    default:
      return null;
  }
}

/** Total run and backoff time of a failed task with several attempts. */
function sumOf(task: TaskRow, attempts: readonly Attempt[]): string | null {
  if (task.state !== "failure" || attempts.length < 2) return null;
  const ran = attempts.reduce((sum, attempt) => sum + (attempt.runMs ?? 0), 0);
  const paused = attempts.reduce((sum, attempt, at) => {
    const ended = attempts[at - 1]?.endedAt ?? null;
    return ended === null || attempt.startedAt === null ? sum : sum + Math.max(0, attempt.startedAt - ended);
  }, 0);
  const isSpent = task.max_attempts != null && task.attempt + 1 >= task.max_attempts;
  return `${isSpent ? "No retries left. " : ""}Ran for ${duration(ran)} in total, with ${duration(paused)} between attempts.`;
}

function ranFor(attempt: Attempt | undefined): string {
  return attempt?.runMs === null || attempt?.runMs === undefined ? "" : ` after ${duration(attempt.runMs)}`;
}

function firstLine(value: unknown): string {
  if (typeof value !== "string" || value === "") return "no reason reported.";
  return printable(shortException(value)).slice(0, 240);
}
