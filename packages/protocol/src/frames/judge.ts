import { isJsonObject } from "../json/raw.ts";
import { fitsCharacters } from "../json/unicode.ts";
import { type Frame, type FrameType, frameVersion, isFrameType, type SessionIds } from "./envelope.ts";
import { wireLimits } from "./limits.ts";

export interface VerifierOptions {
  /** The 32 bytes of the project secret. */
  readonly secret: Uint8Array;
  readonly session: SessionIds;
}

export type RefusalReason =
  /** Not well-formed text, not an object, or a value of the wrong type: drop the frame. */
  | "malformed"
  /** Another `v`: recoverable, leave the frame unconfirmed. */
  | "skew"
  /** Wrong or missing signature: end the session. */
  | "signature"
  /** Unknown type: drop the frame with a warning. */
  | "unknown_type"
  /** hello or hello_ack inside a session. They are unsigned and handled elsewhere. */
  | "handshake";

export interface AcceptedFrame {
  readonly ok: true;
  readonly frame: Frame;
  readonly path: "fast" | "slow";
  /** The frame's text, for parsing again with number lexemes (`receivedData`). */
  readonly text: string;
}

export interface RefusedFrame {
  readonly ok: false;
  readonly reason: RefusalReason;
  readonly frameType?: FrameType;
  readonly id?: string;
  /** The reason, without content of the frame. */
  readonly message: string;
}

export type OpenedFrame = AcceptedFrame | RefusedFrame;

export function malformed(message: string): RefusedFrame {
  return { ok: false, reason: "malformed", message };
}

export function refuse(reason: RefusalReason, frame: Frame, message: string): RefusedFrame {
  return { ok: false, reason, frameType: frame.type, id: frame.id, message };
}

/** Checks a signed frame's id and the status of a command result. Runs between signature check and replay guard. */
export function accept(frame: Frame, path: AcceptedFrame["path"], text: string): OpenedFrame {
  if (frame.id === "") return refuse("malformed", frame, "id is not a string of 1 to 64 characters");
  if (frame.type === "command_result") {
    const status = frame.payload?.status;
    if (status !== "success" && status !== "failed") {
      return refuse("malformed", frame, "status must be success or failed");
    }
  }
  return { ok: true, frame, path, text };
}

/** Facts that only the number lexemes show. Both hold on the fast path. */
export interface LexemeFacts {
  readonly isOurVersion: boolean;
  readonly isSeqInteger: boolean;
}

/** The checks before the signature, in protocol order: `v`, `type`, payload. An invalid id becomes empty. */
export function judgeEnvelope(
  value: Record<string, unknown>,
  { isOurVersion, isSeqInteger }: LexemeFacts,
): { ok: true; frame: Frame } | RefusedFrame {
  const { type, id, ts, nonce, seq, hmac } = value;
  const refusal = (reason: RefusalReason, message: string): RefusedFrame => ({
    ok: false,
    reason,
    ...(isFrameType(type) ? { frameType: type } : {}),
    ...(isFrameId(id) ? { id } : {}),
    message,
  });
  if (!isOurVersion) return refusal("skew", "unsupported protocol version");
  if (typeof type !== "string") return refusal("malformed", "type is not a string");
  if (!isFrameType(type)) return refusal("unknown_type", "unknown frame type");
  if (type === "hello" || type === "hello_ack") return refusal("handshake", "handshake frame inside a session");
  const payload = value.payload ?? null;
  if (payload !== null && !isJsonObject(payload)) return refusal("malformed", "payload is not an object");
  const frame: Frame = {
    v: frameVersion,
    type,
    id: isFrameId(id) ? id : "",
    ts: typeof ts === "string" ? ts : null,
    payload,
    ...(typeof nonce === "string" ? { nonce } : {}),
    ...(isSeqInteger && typeof seq === "number" ? { seq } : {}),
    ...(typeof hmac === "string" ? { hmac } : {}),
  };
  return { ok: true, frame };
}

export function isFrameId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && fitsCharacters(id, wireLimits.frameIdCharacters);
}
