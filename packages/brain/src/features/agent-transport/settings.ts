import { Type } from "typebox";

const megabyte = 1_048_576;

export const agentTransportSettings = Type.Object({
  SVC_MAX_WS_FRAME_BYTES: Type.Integer({
    default: megabyte,
    minimum: 8192,
    maximum: 32 * megabyte,
    description: "maximum frame size in bytes; the smaller of this and SVC_WS_MAX_FRAME_BYTES applies",
  }),
  SVC_WS_MAX_FRAME_BYTES: Type.Integer({
    default: megabyte,
    minimum: 8192,
    maximum: 32 * megabyte,
    description: "maximum WebSocket message size in bytes; the smaller of this and SVC_MAX_WS_FRAME_BYTES applies",
  }),
  SVC_AGENT_MAX_BODY_BYTES: Type.Integer({
    default: 32 * megabyte,
    minimum: megabyte,
    maximum: 256 * megabyte,
    description: "maximum long-poll upload size in bytes",
  }),
  SVC_WS_PER_AGENT_CONCURRENCY_CAP: Type.Integer({
    default: 64,
    minimum: 0,
    maximum: 10_000,
    description: "maximum WebSocket connections per agent; 0 means no limit",
  }),
  SVC_WS_IDLE_TIMEOUT_SECONDS: Type.Integer({
    default: 90,
    minimum: 15,
    maximum: 3600,
    description: "seconds without a frame after which a WebSocket connection is closed with code 4408",
  }),
});
