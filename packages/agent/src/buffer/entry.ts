/**
 * A frame waiting in the buffer. It is stored unsigned, as the canonical text of its payload, so that every sending can sign it
 * afresh and a batch repeats its `sealed_at` unchanged.
 */
export interface NewEntry {
  readonly type: BufferedType;
  /** Frame id on the wire; the same for every sending. */
  readonly frameId: string;
  /** Event records inside; 0 for other frames. */
  readonly records: number;
  /** Canonical JSON. */
  readonly payload: string;
  /** UTF-8 bytes of `payload`. */
  readonly sizeBytes: number;
}

export interface BufferEntry extends NewEntry {
  /** Position in the buffer; rises with age of entry, never reused. */
  readonly seq: number;
}

export type BufferedType = "event_batch" | "command_ack" | "command_result";

/** Losses that belong to the buffer (spec part 3, section 1.8): the first four by kind, the last two by reason. */
export interface BufferLoss {
  event_records: number;
  command_results: number;
  other_frames: number;
  unclassified_frames: number;
  capacity_evicted_frames: number;
  content_rejected_frames: number;
}

export type LossReason = "capacity_evicted_frames" | "content_rejected_frames";

export const noLoss: Readonly<BufferLoss> = {
  event_records: 0,
  command_results: 0,
  other_frames: 0,
  unclassified_frames: 0,
  capacity_evicted_frames: 0,
  content_rejected_frames: 0,
};

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
  return {
    event_records: left.event_records + right.event_records,
    command_results: left.command_results + right.command_results,
    other_frames: left.other_frames + right.other_frames,
    unclassified_frames: left.unclassified_frames + right.unclassified_frames,
    capacity_evicted_frames: left.capacity_evicted_frames + right.capacity_evicted_frames,
    content_rejected_frames: left.content_rejected_frames + right.content_rejected_frames,
  };
}
