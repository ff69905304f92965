import { wireLimits } from "../frames/limits.ts";

/** The brain's answer to an event_batch. */
export interface EventBatchAckPayload {
  /** Frame id of the batch. */
  acked_id: string;
  received: number;
  /** Newly inserted rows. */
  accepted: number;
  /** Duplicates and dropped events. Harmless to the sender. */
  rejected: number;
  /** At most 10. */
  errors: string[];
}

/** Frame id of a batch's ack: `eba_` and the batch id, cut to 64 characters. */
export function ackIdOf(batchId: string): string {
  return `eba_${batchId}`.slice(0, wireLimits.frameIdCharacters).toWellFormed();
}

/** Codes of the brain's `error` frames. */
export const brainErrorCodes = {
  /** Fatal: schedule events without stream position for an owner that already sends sequenced ones. */
  schedulerUpgradeRequired: "scheduler_upgrade_required",
  /** Not fatal: a frame of another `v` was left unconfirmed. */
  protocolIncompatible: "protocol_incompatible",
} as const;
