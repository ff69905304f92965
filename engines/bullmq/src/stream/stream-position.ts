import type { QueueNames } from "../redis/names.ts";
import { compareStreamIds, streamIdBefore } from "./stream-entry.ts";

/**
 * Where the side-car stands in one event stream, and what became of the part it had not read. BullMQ caps its streams, so entries can
 * go before they were read; Redis 7 counts every entry ever added, which makes that loss exact. A stream can also vanish (queue
 * obliterated, Redis restarted without its data) or come back older than it was (a restart from an old snapshot, a fail-over).
 */
export interface StreamPosition {
  readonly lastId: string;
  /** Entries added to the stream up to lastId, as Redis 7 counts them; null on older servers. */
  readonly entriesAdded: number | null;
}

/** One queue that is being watched, and how far its stream has been read. Only the read loop changes it. */
export interface QueueWatch {
  readonly names: QueueNames;
  position: StreamPosition;
  /** Entry whose count Redis told: when it is read, our own count must be the same, or entries were trimmed under the reader. */
  checkpoint: StreamPosition | undefined;
  /** Time of the newest entry up to which nothing is missing. */
  completeUpToMs: number;
  /** Starts of unfinished jobs in a later attempt, by job id. */
  readonly starts: Map<string, number>;
  /** Starts of jobs whose end was told shortly before the position where the watch began, by job id; empty after the first check. */
  endedBefore: Readonly<Record<string, number>>;
  /** True when the position moved on without an event to carry it. */
  isUnsaved: boolean;
  /** Checks in a row that found no stream. */
  absentChecks: number;
}

/** What XINFO STREAM tells; undefined in its place means that the stream does not exist. */
export interface StreamInfo {
  readonly length: number;
  readonly firstId: string | null;
  readonly lastGeneratedId: string;
  readonly entriesAdded: number | null;
}

/** What Redis tells about a stream and a position in it. */
export interface StreamLook {
  readonly info: StreamInfo | undefined;
  /** Whether the stream still holds the entry at the position; asked before `info`, so that no trimming in between can mislead. */
  readonly holdsPosition: boolean;
}

export type Continuity =
  | { readonly kind: "continuous" }
  /** `lost` entries went unread; null when the server does not count and it is at least one. */
  | { readonly kind: "trimmed"; readonly lost: number | null; readonly next: StreamPosition }
  /** The stream is another one than before; `lost` entries of the new one are gone already. */
  | { readonly kind: "replaced"; readonly lost: number; readonly next: StreamPosition }
  /** The stream came back older than what was read of it. */
  | { readonly kind: "rewound"; readonly next: StreamPosition };

const origin = "0-0";

export function firstPosition(info: StreamInfo | undefined, startAt: "beginning" | "now"): StreamPosition {
  if (!info) return { lastId: origin, entriesAdded: 0 };
  if (startAt === "now") return { lastId: info.lastGeneratedId, entriesAdded: info.entriesAdded };
  return { lastId: origin, entriesAdded: removedEntries(info) };
}

export function judgeContinuity(position: StreamPosition, { info, holdsPosition }: StreamLook): Continuity {
  if (!info) {
    const next = { lastId: origin, entriesAdded: 0 };
    return position.lastId === origin ? { kind: "continuous" } : { kind: "replaced", lost: 0, next };
  }
  const removed = removedEntries(info);
  const readCount = position.entriesAdded;
  if (compareStreamIds(info.lastGeneratedId, position.lastId) < 0)
    return { kind: "rewound", next: { lastId: info.lastGeneratedId, entriesAdded: info.entriesAdded } };
  const oldestUnread = info.firstId ?? (info.lastGeneratedId === position.lastId ? null : "gone");
  if (oldestUnread === null) return { kind: "continuous" };
  if (oldestUnread !== "gone" && compareStreamIds(oldestUnread, position.lastId) <= 0) {
    // Older entries are there and the one read last is not: the application was quicker to write to the older stream than we to look.
    // A position without a count may be one that no entry ever had.
    if (holdsPosition || readCount === null) return { kind: "continuous" };
    return { kind: "rewound", next: { lastId: position.lastId, entriesAdded: null } };
  }
  const next: StreamPosition =
    oldestUnread === "gone"
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
