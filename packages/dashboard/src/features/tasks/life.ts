import { duration } from "../../ui/time/format.ts";
import type { ListRow } from "../task-data/index.ts";

/** How long the latest attempt of a task waited and ran, up to `now` where it still does. */
export interface Life {
  /** Null when neither the engine nor the times of the task say it. */
  waitMs: number | null;
  runMs: number;
  isWaiting: boolean;
  isRunning: boolean;
  /** It ran, but when it ended is not known. */
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

/** Ended tasks that are enough to take the scale from. */
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

/** As field `waiting` of the search counts it: since the task was received, or was queued again, and was due. */
function waitOf(row: LifeFacts, endMs: number | null): number | null {
  const isFirst = row.attempt === 0;
  // Once a later attempt has started, nothing tells when it was queued.
  if (endMs === null || (!isFirst && !waitingStates.includes(row.state))) return null;
  const queuedMs = Date.parse(isFirst ? row.received_at : row.last_event_at);
  const dueMs = row.eta ? Date.parse(row.eta) : queuedMs;
  const runMs = row.started_at ? 0 : (row.runtime_ms ?? 0);
  return Math.max(0, endMs - Math.max(queuedMs, dueMs) - runMs);
}

/**
 * The span that the widest bars of these rows reach: the 95th percentile, so that one slow task does not flatten the rest.
 * Tasks that still wait or run count only where few have ended: one that was forgotten grows for ever.
 */
export function scaleOf(lives: readonly Life[]): number {
  const ended = lives.filter((life) => !life.isWaiting && !life.isRunning);
  const fair = ended.length >= fairSample ? ended : lives;
  const spans = fair.map((life) => (life.waitMs ?? 0) + life.runMs).sort((a, b) => a - b);
  const at = Math.min(spans.length - 1, Math.floor(spans.length * 0.95));
  return Math.max(100, spans[at] ?? 0);
}

/** The same on steps of 1, 2 and 5, so that the scale does not twitch while rows are patched. */
export function steadyScale(ms: number): number {
  const decade = 10 ** Math.floor(Math.log10(ms));
  const step = [1, 2, 5, 10].find((one) => decade * one >= ms) ?? 10;
  return decade * step;
}

/** Widths in percent of the bar. What goes beyond the scale is cut at its end. */
export function barOf(life: Life, scaleMs: number): { wait: number; run: number; isCut: boolean } {
  const waitMs = life.waitMs ?? 0;
  const wait = Math.min(100, (waitMs / scaleMs) * 100);
  const run = Math.min(100 - wait, (life.runMs / scaleMs) * 100);
  return { wait, run, isCut: waitMs + life.runMs > scaleMs };
}

export const waitText = ({ waitMs }: Life): string => (waitMs === null ? "–" : duration(waitMs));

/** `2/3` when the limit is known, else `2`; a dash before the first start. A retry by hand goes beyond the engine's limit. */
export function tryText(row: Pick<ListRow, "attempt" | "max_attempts" | "state">): string {
  if (waitingStates.includes(row.state) && row.attempt === 0) return "–";
  const current = row.attempt + 1;
  return row.max_attempts && current <= row.max_attempts ? `${current}/${row.max_attempts}` : String(current);
}
