import type { ListRow } from "./following/task-pages.ts";

/** How long a task waited and ran, up to `now` where it still does. */
export interface Life {
  waitMs: number;
  runMs: number;
  isWaiting: boolean;
  isRunning: boolean;
  /** It ran, but when it ended is not known. */
  isLost: boolean;
}

type LifeFacts = Pick<
  ListRow,
  "state" | "received_at" | "started_at" | "finished_at" | "wait_ms" | "runtime_ms" | "eta"
>;

/** Ended tasks that are enough to take the scale from. */
const fairSample = 5;
const waitingStates = ["pending", "received"];

export function lifeOf(row: LifeFacts, now: number): Life {
  const received = Date.parse(row.received_at);
  const started = row.started_at ? Date.parse(row.started_at) : null;
  const finished = row.finished_at ? Date.parse(row.finished_at) : null;
  const isWaiting = waitingStates.includes(row.state);
  const isRunning = row.state === "started" && finished === null;
  const isLost = row.state === "unknown";

  let waitMs: number;
  if (row.wait_ms !== null && row.wait_ms !== undefined) waitMs = row.wait_ms;
  else if (started !== null) waitMs = started - received;
  else if (isWaiting) waitMs = now - received;
  else waitMs = finished !== null ? Math.max(0, finished - received - (row.runtime_ms ?? 0)) : 0;

  let runMs = row.runtime_ms ?? 0;
  if (row.runtime_ms === null) {
    if (isRunning && started !== null) runMs = now - started;
    else if (started !== null && finished !== null) runMs = finished - started;
  }
  return { waitMs: Math.max(0, waitMs), runMs: Math.max(0, runMs), isWaiting, isRunning, isLost };
}

/**
 * The span that the widest bars of these rows reach: the 95th percentile, so that one slow task does not flatten the rest.
 * Tasks that still wait or run count only where few have ended: one that was forgotten grows for ever.
 */
export function scaleOf(lives: readonly Life[]): number {
  const ended = lives.filter((life) => !life.isWaiting && !life.isRunning);
  const fair = ended.length >= fairSample ? ended : lives;
  const spans = fair.map((life) => life.waitMs + life.runMs).sort((a, b) => a - b);
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
  const wait = Math.min(100, (life.waitMs / scaleMs) * 100);
  const run = Math.min(100 - wait, (life.runMs / scaleMs) * 100);
  return { wait, run, isCut: life.waitMs + life.runMs > scaleMs };
}

/** `2/3` when the limit is known, else `2`; a dash before the first start. */
export function tryText(row: Pick<ListRow, "attempt" | "max_attempts" | "state">): string {
  if (waitingStates.includes(row.state) && row.attempt === 0) return "–";
  const current = row.attempt + 1;
  return row.max_attempts ? `${current}/${row.max_attempts}` : String(current);
}
