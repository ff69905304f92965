import type { QueueNames } from "../redis/names.ts";
import { compareStreamIds, streamIdBefore } from "./stream-entry.ts";

/**
 * The side-car's position in one event stream, and the state of the unread part. BullMQ caps its streams, so entries can be trimmed before
 * they are read; Redis 7 counts every entry ever added, so the loss is known exactly. A stream can also vanish (queue obliterated, Redis
 * restarted without its data) or return in an older state (restart from an old snapshot, fail-over).
 */
export interface StreamPosition {
  readonly lastId: string;
  /** Entries added to the stream up to lastId, as Redis 7 counts them; null on older servers. */
  readonly entriesAdded: number | null;
}

/** A watched queue and the position in its stream. Only the read loop changes it. */
export interface QueueWatch {
  readonly names: QueueNames;
  position: StreamPosition;
  /** Entry whose count came from Redis. If our own count differs when it is read, entries were trimmed during reading. */
  checkpoint: StreamPosition | undefined;
  /** Time of the newest entry before which nothing is missing. */
  completeUpToMs: number;
  /** Starts of unfinished jobs in a later attempt, by job id. */
  readonly starts: Map<string, number>;
  /** Starts of jobs whose end was reported shortly before the watch's first position, by job id; empty after the first check. */
  endedBefore: Readonly<Record<string, number>>;
  /** True when the position advanced without an event to store it with. */
  isUnsaved: boolean;
  /** Checks in a row that found no stream. */
  absentChecks: number;
}

/** Result of XINFO STREAM. */
export interface StreamInfo {
  readonly length: number;
  readonly firstId: string | null;
  readonly lastGeneratedId: string;
  readonly entriesAdded: number | null;
}

/** The state of a stream in Redis. */
export interface StreamCheck {
  /** Undefined when the stream does not exist. */
  readonly info: StreamInfo | undefined;
  /** Whether the stream still holds the entry at the position; read before `info`, so that trimming in between cannot mislead. */
  readonly holdsPosition: boolean;
}

export type Continuity =
  | { readonly kind: "continuous" }
  /** `lost` entries were not read; null (at least one) when the server does not count entries. */
  | { readonly kind: "trimmed"; readonly lost: number | null; readonly next: StreamPosition }
  /** The stream was replaced; `lost` entries of the new one are already trimmed. */
  | { readonly kind: "replaced"; readonly lost: number; readonly next: StreamPosition }
  /** The stream returned in an older state than was read. */
  | { readonly kind: "rewound"; readonly next: StreamPosition };

const origin = "0-0";

export function firstPosition(info: StreamInfo | undefined, startAt: "beginning" | "now"): StreamPosition {
  if (!info) return { lastId: origin, entriesAdded: 0 };
  if (startAt === "now") return { lastId: info.lastGeneratedId, entriesAdded: info.entriesAdded };
  return { lastId: origin, entriesAdded: removedEntries(info) };
}

export function judgeContinuity(position: StreamPosition, { info, holdsPosition }: StreamCheck): Continuity {
  if (!info) {
    const next = { lastId: origin, entriesAdded: 0 };
    return position.lastId === origin ? { kind: "continuous" } : { kind: "replaced", lost: 0, next };
  }
  const removed = removedEntries(info);
  const readCount = position.entriesAdded;
  if (compareStreamIds(info.lastGeneratedId, position.lastId) < 0)
    return { kind: "rewound", next: { lastId: info.lastGeneratedId, entriesAdded: info.entriesAdded } };
  const oldestUnread = info.firstId ?? (info.lastGeneratedId === position.lastId ? null : "trimmed");
  if (oldestUnread === null) return { kind: "continuous" };
  if (oldestUnread !== "trimmed" && compareStreamIds(oldestUnread, position.lastId) <= 0) {
    // Older entries exist, but the last one read does not: the stream was rewound and the application wrote to it before this check.
    // A position without a count may never have had an entry.
    if (holdsPosition || readCount === null) return { kind: "continuous" };
    return { kind: "rewound", next: { lastId: position.lastId, entriesAdded: null } };
  }
  const next: StreamPosition =
    oldestUnread === "trimmed"
      ? { lastId: info.lastGeneratedId, entriesAdded: info.entriesAdded }
      : { lastId: streamIdBefore(oldestUnread), entriesAdded: removed };
  if (removed === null || readCount === null) {
    const isNext = position.lastId === origin || position.lastId === next.lastId;
    return isNext ? { kind: "continuous" } : { kind: "trimmed", lost: null, next };
  }
  if (removed < readCount) return { kind: "replaced", lost: removed, next };
  return removed === readCount ? { kind: "continuous" } : { kind: "trimmed", lost: removed - readCount, next };
}

/** Reads the flat reply of XINFO STREAM. */
export function readStreamInfo(reply: unknown): StreamInfo | undefined {
  if (!Array.isArray(reply)) return undefined;
  const value = (name: string): unknown => {
    const at = reply.indexOf(name);
    return at === -1 || at % 2 === 1 ? undefined : reply[at + 1];
  };
  const first = value("first-entry");
  const added = value("entries-added");
  return {
    length: Number(value("length")),
    firstId: Array.isArray(first) ? String(first[0]) : null,
    lastGeneratedId: String(value("last-generated-id")),
    entriesAdded: added === undefined ? null : Number(added),
  };
}

function removedEntries(info: StreamInfo): number | null {
  return info.entriesAdded === null ? null : info.entriesAdded - info.length;
}
