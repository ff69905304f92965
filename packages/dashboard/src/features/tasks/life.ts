import { duration } from "../../ui/time/format.ts";
import type { ListRow } from "../task-data/index.ts";

/** How long the latest attempt of a task waited and ran, up to `now` if unfinished. */
export interface Life {
  /** Null if neither the engine nor the task's times provide it. */
  waitMs: number | null;
  runMs: number;
  isWaiting: boolean;
  isRunning: boolean;
  /** It ran, but its end is unknown. */
  isLost: boolean;
}

type LifeFacts = Pick<
  ListRow,
  | "state"
  | "attempt"
  | "received_at"
  | "last_event_at"
  | "started_at"
  | "finished_at"
  | "wait_ms"
  | "runtime_ms"
  | "eta"
>;

/** Number of finished tasks that suffices to set the scale. */
const fairSample = 5;
const waitingStates = ["pending", "received"];

export function lifeOf(row: LifeFacts, now: number): Life {
  const started = row.started_at ? Date.parse(row.started_at) : null;
  const finished = row.finished_at ? Date.parse(row.finished_at) : null;
  const isWaiting = waitingStates.includes(row.state);
  const isRunning = row.state === "started" && finished === null;
  const isLost = row.state === "unknown";

  const waitMs = row.wait_ms ?? waitOf(row, isWaiting ? now : (started ?? finished));

  let runMs = row.runtime_ms ?? 0;
  if (row.runtime_ms === null) {
    if (isRunning && started !== null) runMs = now - started;
    else if (started !== null && finished !== null) runMs = finished - started;
  }
  return { waitMs, runMs: Math.max(0, runMs), isWaiting, isRunning, isLost };
}

/** Same as the search field `waiting`: since the task was received or queued again, and was due. */
function waitOf(row: LifeFacts, endMs: number | null): number | null {
  const isFirst = row.attempt === 0;
  // Once a later attempt has started, its queue time is unknown.
  if (endMs === null || (!isFirst && !waitingStates.includes(row.state))) return null;
  const queuedMs = Date.parse(isFirst ? row.received_at : row.last_event_at);
  const dueMs = row.eta ? Date.parse(row.eta) : queuedMs;
  const runMs = row.started_at ? 0 : (row.runtime_ms ?? 0);
  return Math.max(0, endMs - Math.max(queuedMs, dueMs) - runMs);
}

/**
 * The duration at full bar width: the 95th percentile, so that one slow task does not shrink all other bars. Unfinished
 * tasks count only if few have finished, as a stuck one grows forever.
 */
export function scaleOf(lives: readonly Life[]): number {
  const ended = lives.filter((life) => !life.isWaiting && !life.isRunning);
  const fair = ended.length >= fairSample ? ended : lives;
  const spans = fair.map((life) => (life.waitMs ?? 0) + life.runMs).sort((a, b) => a - b);
  const at = Math.min(spans.length - 1, Math.floor(spans.length * 0.95));
  return Math.max(100, spans[at] ?? 0);
}

/** Rounds up to 1, 2 or 5 times a power of ten, so that the scale stays stable while rows are patched. */
export function steadyScale(ms: number): number {
  const decade = 10 ** Math.floor(Math.log10(ms));
  const step = [1, 2, 5, 10].find((one) => decade * one >= ms) ?? 10;
  return decade * step;
}

/** Widths in percent of the bar, cut off at the end of the scale. */
export function barOf(life: Life, scaleMs: number): { wait: number; run: number; isCut: boolean } {
  const waitMs = life.waitMs ?? 0;
  const wait = Math.min(100, (waitMs / scaleMs) * 100);
  const run = Math.min(100 - wait, (life.runMs / scaleMs) * 100);
  return { wait, run, isCut: waitMs + life.runMs > scaleMs };
}

export const waitText = ({ waitMs }: Life): string => (waitMs === null ? "–" : duration(waitMs));

/** `2/3` if the limit is known, else `2`; a dash before the first start. Manual retries may exceed the engine's limit. */
export function tryText(row: Pick<ListRow, "attempt" | "max_attempts" | "state">): string {
  if (waitingStates.includes(row.state) && row.attempt === 0) return "–";
  const current = row.attempt + 1;
  return row.max_attempts && current <= row.max_attempts ? `${current}/${row.max_attempts}` : String(current);
}
