/**
 * A frame in the buffer. It is stored unsigned, as the canonical text of its payload, so that it is signed whenever it is sent and a batch
 * repeats its `sealed_at` unchanged.
 */
export interface NewEntry {
  readonly type: BufferedType;
  /** Frame id, the same whenever it is sent. */
  readonly frameId: string;
  /** Number of event records. 0 for other frames. */
  readonly records: number;
  /** Canonical JSON. */
  readonly payload: string;
  /** UTF-8 bytes of `payload`. */
  readonly sizeBytes: number;
}

export interface BufferEntry extends NewEntry {
  /** Position in the buffer. Increases and is never reused. */
  readonly seq: number;
}

export type BufferedType = "event_batch" | "command_ack" | "command_result";

const lossNames = [
  "event_records",
  "command_results",
  "other_frames",
  "unclassified_frames",
  "capacity_evicted_frames",
  "content_rejected_frames",
] as const;

/** Loss counters of the buffer: the first four by kind, the last two by reason. */
export type BufferLoss = Record<(typeof lossNames)[number], number>;

export type LossReason = "capacity_evicted_frames" | "content_rejected_frames";

export const noLoss: Readonly<BufferLoss> = countEach(() => 0);

/** `before` plus one lost frame. */
export function countLost(before: BufferLoss, type: string, records: number, reason: LossReason): BufferLoss {
  const after = { ...before };
  after[reason] += 1;
  if (type === "event_batch") after.event_records += records;
  else if (type === "command_result") after.command_results += 1;
  else after.other_frames += 1;
  return after;
}

export function addLoss(left: BufferLoss, right: BufferLoss): BufferLoss {
  return countEach((name) => left[name] + right[name]);
}

/** The increase from `earlier` to `later`, never below zero. */
export function lossBetween(earlier: BufferLoss, later: BufferLoss): BufferLoss {
  return countEach((name) => Math.max(0, later[name] - earlier[name]));
}

function countEach(count: (name: keyof BufferLoss) => number): BufferLoss {
  return Object.fromEntries(lossNames.map((name) => [name, count(name)])) as BufferLoss;
}
