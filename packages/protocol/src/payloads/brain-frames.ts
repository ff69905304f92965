import { Type } from "typebox";
import { wireLimits } from "../frames/limits.ts";
import { checkOf, Int, JsonObject, nullable, Text } from "./checks.ts";

/** Payloads that the brain sends (1.9). */
export interface CommandTarget {
  type: string;
  id: string;
  engine?: string | null;
}

export interface CommandPayload {
  /** One of `commandActions`, or one that this version does not know; at most 80 characters. */
  action: string;
  target: CommandTarget;
  parameters: Record<string, unknown>;
  /** 1 to 3600. */
  timeout_seconds: number;
  issued_by?: string | null;
  /** To be echoed by the ack and the result of this delivery; at most 64 characters. */
  delivery_claim_token?: string | null;
}

export const CommandSchema = Type.Object({
  action: Type.String({ minLength: 1, maxLength: 80 }),
  target: Type.Object({ type: Type.String(), id: Type.String(), engine: nullable(Type.String()) }),
  parameters: JsonObject,
  timeout_seconds: Int(1, 3_600),
  issued_by: nullable(Type.String()),
  delivery_claim_token: nullable(Text(64)),
});
const isCommand = checkOf(CommandSchema);
export function checkCommand(value: unknown): value is CommandPayload {
  return isCommand(value);
}

export interface EventBatchAckPayload {
  /** Frame id of the batch. */
  acked_id: string;
  received: number;
  /** Newly inserted rows. */
  accepted: number;
  /** Duplicates and dropped events; harmless to the sender. */
  rejected: number;
  /** At most 10. */
  errors: string[];
}

export const EventBatchAckSchema = Type.Object({
  acked_id: Text(wireLimits.frameIdCharacters),
  received: Int(0, Number.MAX_SAFE_INTEGER),
  accepted: Int(0, Number.MAX_SAFE_INTEGER),
  rejected: Int(0, Number.MAX_SAFE_INTEGER),
  errors: Type.Array(Type.String(), { maxItems: wireLimits.ackErrors }),
});
const isEventBatchAck = checkOf(EventBatchAckSchema);
export function checkEventBatchAck(value: unknown): value is EventBatchAckPayload {
  return isEventBatchAck(value);
}

/** Frame id of the ack of a batch: `eba_` and the batch id, cut to 64 characters. */
export function ackIdOf(batchId: string): string {
  return `eba_${batchId}`.slice(0, wireLimits.frameIdCharacters).toWellFormed();
}

/** Codes of the brain's `error` frames (1.9). */
export const brainErrorCodes = {
  /** Fatal: schedule events without stream position for an owner that already sends sequenced ones. */
  schedulerUpgradeRequired: "scheduler_upgrade_required",
  /** Not fatal: a frame of another `v` was left unconfirmed. */
  protocolIncompatible: "protocol_incompatible",
} as const;
