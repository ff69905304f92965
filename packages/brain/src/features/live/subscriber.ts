import { isUtf8 } from "node:buffer";
import { isUuid } from "@svc/protocol";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { WebSocket } from "ws";
import type { Role, SessionActor } from "../../platform/http/access/actor.ts";
import { createPendingChanges, type PendingChanges } from "./pending-changes.ts";
import { isTopic, type Topic, topics } from "./topics.ts";

/** Close codes of the dashboard hub. */
export const hubCloseCodes = {
  badSubscribe: 4400,
  noSession: 4401,
  shuttingDownOrTooMany: 4402,
  originOrMembership: 4403,
  idle: 4408,
} as const;

/** One open dashboard socket; subscribed once `projectId` is set. */
export interface Subscriber {
  readonly socket: WebSocket;
  readonly actor: SessionActor;
  readonly pending: PendingChanges;
  projectId: string | null;
  role: Role | null;
  topics: ReadonlySet<Topic>;
  /** The newest subscribe that is not applied yet; its checks run one at a time. */
  wanted: { readonly projectId: string; readonly topics: readonly Topic[] } | null;
  isSubscribing: boolean;
  lastFrameMs: number;
  checkedMs: number;
  readonly connectedMs: number;
  /** Frames passed to the socket that have not left it. */
  waitingFrames: number;
}

export function createSubscriber(socket: WebSocket, actor: SessionActor, nowMs: number): Subscriber {
  return {
    socket,
    actor,
    pending: createPendingChanges(),
    projectId: null,
    role: null,
    topics: new Set(),
    wanted: null,
    isSubscribing: false,
    lastFrameMs: nowMs,
    checkedMs: nowMs,
    connectedMs: nowMs,
    waitingFrames: 0,
  };
}

const Subscribe = Compile(
  Type.Object({
    type: Type.Literal("subscribe"),
    project_id: Type.String({ maxLength: 64 }),
    topics: Type.Array(Type.String(), { minItems: 1, maxItems: topics.length }),
  }),
);

export type ClientFrame = { type: "ping" } | { type: "subscribe"; projectId: string; topics: Topic[] };

const maxClientFrameBytes = 16_384;

/** A client's frame; null when the hub does not recognise it. */
export function readClientFrame(data: Uint8Array): ClientFrame | null {
  if (data.byteLength > maxClientFrameBytes || !isUtf8(data)) return null;
  let frame: unknown;
  try {
    frame = JSON.parse(Buffer.from(data).toString("utf8"));
  } catch {
    return null;
  }
  if (typeof frame !== "object" || frame === null) return null;
  if ((frame as { type?: unknown }).type === "ping") return { type: "ping" };
  if (!Subscribe.Check(frame) || !isUuid(frame.project_id) || !frame.topics.every(isTopic)) return null;
  const projectId = frame.project_id.toLowerCase();
  return { type: "subscribe", projectId, topics: [...new Set(frame.topics)].filter(isTopic) };
}
