import { readTimestamp, type ScheduleMessage } from "@svc/protocol";
import type { HeapEntry } from "./heap.ts";

/** Where a schedule is between two slots: in the heap or finished, in the queue, at the service, or waiting before the next attempt. */
export type FiringState = "idle" | "queued" | "active" | "resting";

/** A schedule as the scheduler keeps it. Texts that a fire does not need are left out: 100,000 of them must stay small. */
export interface Schedule extends HeapEntry {
  readonly id: string;
  projectId: string;
  kind: string;
  expression: string;
  timezone: string;
  catchUp: string;
  /** Enabled, neither paused nor quarantined. */
  isRunnable: boolean;
  /** Milliseconds since 1970; null when no slot follows. */
  nextRunAt: number | null;
  revision: number;
  controlToken: string;
  definitionDigest: string;
  /** Number of the last snapshot that contained it unchanged. */
  snapshot: number;
  state: FiringState;
  /** Attempts for the current slot that failed. */
  failures: number;
  /** Missed slots fired in a row, under fire_all_missed. */
  replayed: number;
  /** The missed slot that is fired next, under fire_one_missed. */
  chosenSlot: number | null;
}

/** Equal texts of different rows, such as projects and expressions, that are then stored once. Bounded. */
const maxShared = 20_000;

export function createSharedTexts() {
  const known = new Map<string, string>();
  return (text: string): string => {
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    if (known.size >= maxShared) known.clear();
    known.set(text, text);
    return text;
  };
}

export type SharedTexts = ReturnType<typeof createSharedTexts>;

/** @param snapshot number of the snapshot that it came with; 0 for a change */
export function scheduleOf(message: ScheduleMessage, share: SharedTexts, snapshot = 0): Schedule {
  return {
    id: message.id,
    projectId: share(message.project_id),
    kind: share(message.kind),
    expression: share(message.expression),
    timezone: share(message.timezone),
    catchUp: share(message.catch_up),
    isRunnable: isRunnable(message),
    nextRunAt: slotOf(message),
    revision: message.revision,
    controlToken: message.control_token,
    definitionDigest: message.definition_digest,
    snapshot,
    heapIndex: -1,
    state: "idle",
    failures: 0,
    replayed: 0,
    chosenSlot: null,
  };
}

const isRunnable = ({ is_enabled, paused, quarantined }: ScheduleMessage): boolean =>
  is_enabled && !paused && !quarantined;

export const slotOf = ({ next_run_at }: Pick<ScheduleMessage, "next_run_at">): number | null =>
  readTimestamp(next_run_at)?.getTime() ?? null;

/** Whether the message describes what is stored already. The control token changes with every definition and control. */
export const isStored = (schedule: Schedule, message: ScheduleMessage): boolean =>
  schedule.revision === message.revision &&
  schedule.controlToken === message.control_token &&
  schedule.nextRunAt === slotOf(message) &&
  schedule.isRunnable === isRunnable(message);

/** Overwrites a stored schedule in place, so that its place in the heap and in the queue stays known. */
export function overwrite(schedule: Schedule, with_: Schedule): void {
  const isSameControl = schedule.controlToken === with_.controlToken;
  const { id: _id, heapIndex: _heapIndex, state: _state, ...given } = with_;
  const { failures, replayed, chosenSlot } = schedule;
  Object.assign(schedule, given, isSameControl && { failures, replayed, chosenSlot });
}

/** Of two cursors under one control token the later one is newer: they only move forward, and to null at the end. */
export const laterSlot = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.max(a, b);
