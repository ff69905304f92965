import type { TaskRow, TaskState } from "@svc/client";
import { clockText, shortClockText } from "../../../../ui/time/instants.ts";
import type { Attempt } from "../attempts/attempts.ts";

export interface Segment {
  kind: "wait" | "run" | "backoff" | "lost";
  fromMs: number;
  toMs: number;
  /** State of the attempt that the run belongs to. */
  state?: TaskState;
  attempt?: number;
}

export interface Lifecycle {
  fromMs: number;
  toMs: number;
  segments: Segment[];
  /** When the task finished; null before that. */
  endMs: number | null;
  /** The current time while the task is unfinished; else null. */
  nowMs: number | null;
  /** The earliest start, if it lies in the future. */
  etaMs: number | null;
}

const moving: readonly TaskState[] = ["pending", "received", "started", "retry"];

/** A task's life on one time scale: wait, runs, the backoffs between them, and a future ETA. */
export function lifecycleOf(task: TaskRow, attempts: readonly Attempt[], now: number): Lifecycle {
  const received = Date.parse(task.received_at);
  const finished = task.finished_at ? Date.parse(task.finished_at) : null;
  const isMoving = moving.includes(task.state) && finished === null;
  const eta = task.eta ? Date.parse(task.eta) : null;
  const segments: Segment[] = [];
  let cursor = received;
  let previous: Attempt | null = null;

  for (const attempt of attempts) {
    const end = attempt.endedAt ?? (isMoving && attempt === attempts.at(-1) ? now : null);
    const start = attempt.startedAt ?? (end !== null && attempt.runMs !== null ? end - attempt.runMs : null);
    if (start === null) continue;
    if (start > cursor) segments.push({ kind: previous ? "backoff" : "wait", fromMs: cursor, toMs: start });
    const until = end ?? start + (attempt.runMs ?? 0);
    segments.push(
      end === null && attempt.runMs === null
        ? {
            kind: "lost",
            fromMs: start,
            toMs: Math.max(start, finished ?? now),
            state: attempt.state,
            attempt: attempt.number,
          }
        : { kind: "run", fromMs: start, toMs: Math.max(start, until), state: attempt.state, attempt: attempt.number },
    );
    cursor = Math.max(start, until);
    previous = attempt;
  }

  const isWaitingNow = isMoving && task.state !== "started";
  if (isWaitingNow && now > cursor) segments.push({ kind: previous ? "backoff" : "wait", fromMs: cursor, toMs: now });
  else if (segments.length === 0 && finished !== null)
    segments.push({ kind: "wait", fromMs: received, toMs: finished });

  const lastMs = Math.max(received, finished ?? 0, isMoving ? now : 0, ...segments.map((segment) => segment.toMs));
  const etaMs = eta !== null && eta > lastMs ? eta : null;
  return {
    fromMs: received,
    toMs: Math.max(etaMs ?? 0, lastMs, received + 1),
    segments,
    endMs: finished,
    nowMs: isMoving ? lastMs : null,
    etaMs,
  };
}

const finalStates: readonly TaskState[] = ["success", "failure", "revoked", "rejected"];
const finalPollMs = 30_000;

export const isOver = (state: TaskState): boolean => finalStates.includes(state);

/** Poll interval of a task. Finished tasks are polled too: a later attempt may reopen them, or they are deleted. */
export function taskPollMs(state: TaskState | undefined, pollMs: number): number {
  return state !== undefined && isOver(state) ? Math.max(pollMs, finalPollMs) : pollMs;
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
  2_592_000_000,
];

/** Round timestamps in a time span, at most `most` of them. */
export function ticksOf(fromMs: number, toMs: number, most: number): number[] {
  const step = steps.find((one) => (toMs - fromMs) / one <= most) ?? 31_536_000_000;
  const first = Math.ceil(fromMs / step) * step;
  const ticks: number[] = [];
  for (let at = first; at <= toMs; at += step) ticks.push(at);
  return ticks;
}

/** The ticks whose labels, of the given width in percent, overlap neither each other nor the end. */
export function clearTicks(ticks: readonly number[], at: (tick: number) => number, labelPercent: number): number[] {
  let free = 0;
  return ticks.filter((tick) => {
    const place = at(tick);
    if (place < free || place + labelPercent > 100) return false;
    free = place + labelPercent;
    return true;
  });
}

/** The label of a tick, as short as the tick distance allows. */
export function tickText(at: number, ticks: readonly number[], zone: string): string {
  const step = (ticks[1] ?? at) - (ticks[0] ?? at);
  if (step >= 60_000) return shortClockText(at, zone);
  const clock = clockText(at, zone);
  if (step >= 1000) return clock.slice(0, 8);
  return step >= 100 ? clock : `${clock.slice(0, 8)}.${String(at % 1000).padStart(3, "0")}`;
}
