import type { AgentLog, EventSink } from "@svc/agent";
import type { Redis } from "ioredis";
import type { Reconcile } from "../events/reconcile.ts";
import type { FactsMemory, JobFacts } from "../jobs/job-facts.ts";
import type { Settings } from "../options.ts";
import type { QueueNames } from "../redis/names.ts";
import { askEach, replyValue } from "../redis/pipeline.ts";
import type { StoredCursor } from "../stream/stored-cursor.ts";
import { compareStreamIds, msOf, type RawEntry } from "../stream/stream-entry.ts";
import type { QueueWatch } from "../stream/stream-position.ts";
import {
  firstPosition,
  judgeContinuity,
  readStreamInfo,
  type StreamLook,
  type StreamPosition,
} from "../stream/stream-position.ts";

export interface ContinuityParts {
  readonly redis: Redis;
  readonly settings: Pick<Settings, "startAt">;
  readonly memory: FactsMemory;
  readonly sink: EventSink;
  readonly log: AgentLog;
  readonly reconcile: Reconcile;
}

/** About a minute at the default rate; a queue that comes back is found again. */
const absentChecksUntilGone = 12;
const unread: StreamPosition = { lastId: "0-0", entriesAdded: null };

/** Keeps account of what was read against what Redis says was written; tells the sink what is missing and rebuilds what it can. */
export function createContinuity({ redis, settings, memory, sink, log, reconcile }: ContinuityParts) {
  /** Begins a watch where the stored cursor left off, else where the settings say. */
  async function begin(names: QueueNames, stored: StoredCursor | undefined): Promise<QueueWatch> {
    const position = stored ?? firstPosition((await look([{ names, position: unread }]))[0]?.info, settings.startAt);
    return {
      names,
      position: { lastId: position.lastId, entriesAdded: position.entriesAdded },
      checkpoint: undefined,
      completeUpToMs: msOf(position.lastId),
      starts: new Map(Object.entries(stored?.starts ?? {})),
      endedBefore: stored?.ended ?? {},
      isUnsaved: false,
      absentChecks: 0,
    };
  }

  /** Judges every stream; gives the queues that have been without a stream for many checks. */
  async function check(watches: readonly QueueWatch[]): Promise<readonly QueueWatch[]> {
    const looks = await look(watches);
    for (const [index, watch] of watches.entries()) {
      const found = looks[index] ?? { info: undefined, holdsPosition: false };
      watch.absentChecks = found.info ? 0 : watch.absentChecks + 1;
      await checkOne(watch, found);
      watch.endedBefore = {};
    }
    return watches.filter((watch) => watch.absentChecks >= absentChecksUntilGone);
  }

  async function checkOne(watch: QueueWatch, found: StreamLook): Promise<void> {
    const { info } = found;
    const verdict = judgeContinuity(watch.position, found);
    const queue = watch.names.source;
    switch (verdict.kind) {
      case "continuous":
        if (info && info.entriesAdded !== null)
          await settle(watch, { lastId: info.lastGeneratedId, entriesAdded: info.entriesAdded });
        return;
      case "trimmed": {
        const sinceMs = watch.completeUpToMs;
        memory.distrust(queue);
        const rebuilt = await reconcile(watch, sinceMs, verdict.next.lastId);
        if (verdict.lost === null) sink.lost(1, "stream_trimmed_uncounted");
        else sink.lost(verdict.lost, "stream_trimmed");
        log.warn("entries of an event stream went before they were read", { queue, lost: verdict.lost, rebuilt });
        break;
      }
      case "replaced":
      case "rewound": {
        const gone = await countGone(memory.forget(queue));
        const lost = gone + (verdict.kind === "replaced" ? verdict.lost : 0);
        if (lost > 0) sink.lost(lost, `stream_${verdict.kind}`);
        log.warn("an event stream is not the one that was read before", { queue, how: verdict.kind, lost });
        watch.starts.clear();
        break;
      }
    }
    watch.position = verdict.next;
    watch.completeUpToMs = msOf(verdict.next.lastId);
    watch.checkpoint = undefined;
    watch.isUnsaved = true;
  }

  /** Compares the counts where they can be compared now, else leaves a checkpoint for the reader. */
  async function settle(watch: QueueWatch, told: { lastId: string; entriesAdded: number }): Promise<void> {
    if (compareStreamIds(told.lastId, watch.position.lastId) > 0) watch.checkpoint ??= told;
    else await agree(watch, told.entriesAdded);
  }

  /** Moves the position behind entries whose events are in the buffer; at a checkpoint our count and that of Redis must agree. */
  async function advance(watch: QueueWatch, entries: readonly RawEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    const { checkpoint } = watch;
    watch.position = positionAfter(watch, entries);
    if (!checkpoint || compareStreamIds(last[0], checkpoint.lastId) < 0) return;
    watch.checkpoint = undefined;
    const at = entries.findIndex(([id]) => id === checkpoint.lastId);
    // The entry itself was trimmed: the next check sets another checkpoint, and the count stays behind until then.
    if (at === -1 || checkpoint.entriesAdded === null) return;
    await agree(watch, checkpoint.entriesAdded + entries.length - 1 - at);
  }

  async function agree(watch: QueueWatch, entriesAdded: number): Promise<void> {
    const lost = entriesAdded - (watch.position.entriesAdded ?? entriesAdded);
    if (lost > 0) {
      memory.distrust(watch.names.source);
      const rebuilt = await reconcile(watch, watch.completeUpToMs, watch.position.lastId);
      sink.lost(lost, "stream_trimmed");
      log.warn("entries of an event stream went while it was read", { queue: watch.names.source, lost, rebuilt });
    }
    watch.isUnsaved ||= lost !== 0;
    watch.position = { lastId: watch.position.lastId, entriesAdded };
    watch.completeUpToMs = msOf(watch.position.lastId);
  }

  /** Tasks that had not ended and whose hash is gone will never report an end. */
  async function countGone(unfinished: readonly JobFacts[]): Promise<number> {
    const answers = await askEach(redis, unfinished, (pipeline, { source, jobId }) =>
      pipeline.exists(`${source}:${jobId}`),
    );
    return answers.filter((answer) => answer === 0).length;
  }

  async function look(watches: readonly Pick<QueueWatch, "names" | "position">[]): Promise<readonly StreamLook[]> {
    const pipeline = redis.pipeline();
    for (const { names, position } of watches) {
      pipeline.xrange(names.eventsKey, position.lastId, position.lastId);
      pipeline.xinfo("STREAM", names.eventsKey);
    }
    const replies = (await pipeline.exec()) ?? [];
    return watches.map((_, index) => {
      const info = replies[2 * index + 1];
      if (info?.[0]?.message.includes("no such key")) return { info: undefined, holdsPosition: false };
      const held = replyValue(replies[2 * index]) as readonly RawEntry[];
      return { info: readStreamInfo(replyValue(info)), holdsPosition: held.length > 0 };
    });
  }

  return { begin, check, advance };
}

/** Where the watch will stand behind these entries. */
export function positionAfter(watch: QueueWatch, entries: readonly RawEntry[]): StreamPosition {
  const { lastId, entriesAdded } = watch.position;
  return {
    lastId: entries.at(-1)?.[0] ?? lastId,
    entriesAdded: entriesAdded === null ? null : entriesAdded + entries.length,
  };
}
