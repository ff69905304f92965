/**
 * The frame envelope (docs/reference/wire-protocol.md). `hello` and `hello_ack` open a session and are unsigned. Every other frame carries a
 * nonce, a sequence number and a signature over its canonical form and the three ids of the session.
 */
export const frameTypes = [
  "hello",
  "hello_ack",
  "event_batch",
  "event_batch_ack",
  "heartbeat",
  "command",
  "command_ack",
  "command_result",
  "registry_delta",
  "error",
  "agent_status",
] as const;
export type FrameType = (typeof frameTypes)[number];

/** Types that open a session and are never signed. */
export type HandshakeFrameType = "hello" | "hello_ack";
export type SignedFrameType = Exclude<FrameType, HandshakeFrameType>;

export const protocolVersion = "2";
export const frameVersion = 2;

/** The three ids that both sides add to a frame before signing. They are not sent. */
export interface SessionIds {
  readonly agentId: string;
  readonly projectId: string;
  /** The `session_id` of hello_ack, or the exact value of the session nonce header (empty without the header). */
  readonly sessionId: string;
}

/** One received frame. Values of the wrong type are left out, so the replay guard refuses them as missing. */
export interface Frame {
  readonly v: 2;
  readonly type: FrameType;
  /** 1 to 64 characters. */
  readonly id: string;
  readonly ts: string | null;
  readonly payload: Record<string, unknown> | null;
  readonly nonce?: string;
  readonly seq?: number;
  readonly hmac?: string;
}

const frameTypeSet: ReadonlySet<unknown> = new Set(frameTypes);

export function isFrameType(value: unknown): value is FrameType {
  return frameTypeSet.has(value);
}
