import type { TaskEvent, TaskRow } from "@svc/client";
import { duration, printable } from "../../../../ui/time/format.ts";
import type { Attempt } from "../attempts/attempts.ts";
import { shortException } from "../family/trace.ts";

export interface Step {
  atMs: number;
  /** Milliseconds since the task was received. */
  offsetMs: number;
  glyph: string;
  text: string;
}

/** Of events of one instant and attempt, which comes first: the order of the service. */
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

/** What happened, in order and in sentences; only from the task's own events, without guesses. */
export function storyOf(task: TaskRow, events: readonly TaskEvent[], attempts: readonly Attempt[]): Step[] {
  const received = Date.parse(task.received_at);
  const steps = events
    .map((event) => ({ event, atMs: Date.parse(event.occurred_at) }))
    .sort(
      (a, b) =>
        a.atMs - b.atMs ||
        attemptOf(a.event) - attemptOf(b.event) ||
        ranks.indexOf(a.event.kind) - ranks.indexOf(b.event.kind),
    )
    .flatMap(({ event, atMs }) => {
      const told = tell(event, task, attempts);
      return told ? [{ atMs, offsetMs: atMs - received, ...told }] : [];
    });
  const sum = sumOf(task, attempts);
  const last = steps.at(-1);
  if (sum !== null && last) steps.push({ atMs: last.atMs, offsetMs: last.offsetMs, glyph: task.state, text: sum });
  if (task.eta && Date.parse(task.eta) > (steps.at(-1)?.atMs ?? received)) {
    const atMs = Date.parse(task.eta);
    steps.push({ atMs, offsetMs: atMs - received, glyph: "pending", text: "Not before this instant (ETA)." });
  }
  return steps;
}

const attemptOf = ({ payload }: TaskEvent): number => (typeof payload.attempt === "number" ? payload.attempt : 0);

function tell(event: TaskEvent, task: TaskRow, attempts: readonly Attempt[]): { glyph: string; text: string } | null {
  const { payload } = event;
  const number = attemptOf(event);
  const attempt = attempts.find((one) => one.number === number);
  const worker = typeof payload.worker === "string" ? ` on ${printable(payload.worker)}` : "";
  const which = attempts.length > 1 || number > 0 ? `Attempt ${number + 1}` : "It";
  const took = typeof payload.runtime_ms === "number" ? ` after ${duration(payload.runtime_ms)}` : ranFor(attempt);
  switch (event.kind) {
    case "task.sent":
      return {
        glyph: "pending",
        text: `Put into queue ${printable(String(payload.queue ?? task.queue ?? "unknown"))}.`,
      };
    case "task.received":
      return { glyph: "received", text: `Taken over by the engine${worker}.` };
    case "task.started": {
      const waited = typeof payload.wait_ms === "number" ? `, after waiting ${duration(payload.wait_ms)}` : "";
      return { glyph: "started", text: `${which} started${worker}${waited}.` };
    }
    case "task.succeeded":
      return { glyph: "success", text: `${which} succeeded${took}.` };
    case "task.failed":
      return { glyph: "failure", text: `${which} failed${took}: ${firstLine(payload.exception)}` };
    case "task.retried":
      return {
        glyph: "retry",
        text: `${which} failed${took} and will be tried again: ${firstLine(payload.exception)}`,
      };
    case "task.revoked":
      return { glyph: "revoked", text: "Revoked: it will not run." };
    case "task.rejected":
      return { glyph: "rejected", text: `Rejected by the worker: ${firstLine(payload.exception)}` };
    default:
      return null;
  }
}

/** What a task with several attempts cost in all, once it has failed. */
function sumOf(task: TaskRow, attempts: readonly Attempt[]): string | null {
  if (task.state !== "failure" || attempts.length < 2) return null;
  const ran = attempts.reduce((sum, attempt) => sum + (attempt.runMs ?? 0), 0);
  const paused = attempts.reduce((sum, attempt, at) => {
    const ended = attempts[at - 1]?.endedAt ?? null;
    return ended === null || attempt.startedAt === null ? sum : sum + Math.max(0, attempt.startedAt - ended);
  }, 0);
  const isSpent = task.max_attempts != null && task.attempt + 1 >= task.max_attempts;
  return `${isSpent ? "No retry left. " : ""}${duration(ran)} of running and ${duration(paused)} between the attempts.`;
}

function ranFor(attempt: Attempt | undefined): string {
  return attempt?.runMs === null || attempt?.runMs === undefined ? "" : ` after ${duration(attempt.runMs)}`;
}

function firstLine(value: unknown): string {
  if (typeof value !== "string" || value === "") return "no reason was reported.";
  return printable(shortException(value)).slice(0, 240);
}
