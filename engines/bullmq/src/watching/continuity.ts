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
  type StreamCheck,
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

/** About a minute at the default rate; a queue that reappears is discovered again. */
const absentChecksUntilRemoved = 12;
const unread: StreamPosition = { lastId: "0-0", entriesAdded: null };

/** Compares the entries read with those that Redis counted; reports losses to the sink and rebuilds what it can. */
export function createContinuity({ redis, settings, memory, sink, log, reconcile }: ContinuityParts) {
  /** Begins a watch at the stored cursor, else where the settings say. */
  async function begin(names: QueueNames, stored: StoredCursor | undefined): Promise<QueueWatch> {
    const position =
      stored ?? firstPosition((await readStreams([{ names, position: unread }]))[0]?.info, settings.startAt);
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

  /** Checks all streams; returns the queues that had no stream in many successive checks. */
  async function check(watches: readonly QueueWatch[]): Promise<readonly QueueWatch[]> {
    const checks = await readStreams(watches);
    for (const [index, watch] of watches.entries()) {
      const found = checks[index] ?? { info: undefined, holdsPosition: false };
      watch.absentChecks = found.info ? 0 : watch.absentChecks + 1;
      await checkOne(watch, found);
      watch.endedBefore = {};
    }
    return watches.filter((watch) => watch.absentChecks >= absentChecksUntilRemoved);
  }

  async function checkOne(watch: QueueWatch, found: StreamCheck): Promise<void> {
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
        log.warn("event stream entries were trimmed before they were read", { queue, lost: verdict.lost, rebuilt });
        break;
      }
      case "replaced":
      case "rewound": {
        const missing = await countMissing(memory.forget(queue));
        const lost = missing + (verdict.kind === "replaced" ? verdict.lost : 0);
        if (lost > 0) sink.lost(lost, `stream_${verdict.kind}`);
        log.warn("an event stream was replaced or rewound", { queue, how: verdict.kind, lost });
        watch.starts.clear();
        break;
      }
    }
    watch.position = verdict.next;
    watch.completeUpToMs = msOf(verdict.next.lastId);
    watch.checkpoint = undefined;
    watch.isUnsaved = true;
  }

  /** Compares the counts if everything was read, else leaves a checkpoint for the reader. */
  async function settle(watch: QueueWatch, counted: { lastId: string; entriesAdded: number }): Promise<void> {
    if (compareStreamIds(counted.lastId, watch.position.lastId) > 0) watch.checkpoint ??= counted;
    else await compareCounts(watch, counted.entriesAdded);
  }

  /** Moves the position past entries whose events are in the buffer; at a checkpoint, compares our count with Redis's. */
  async function advance(watch: QueueWatch, entries: readonly RawEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    const { checkpoint } = watch;
    watch.position = positionAfter(watch, entries);
    if (!checkpoint || compareStreamIds(last[0], checkpoint.lastId) < 0) return;
    watch.checkpoint = undefined;
    const at = entries.findIndex(([id]) => id === checkpoint.lastId);
    // The entry itself was trimmed: the next check sets another checkpoint and corrects the count.
    if (at === -1 || checkpoint.entriesAdded === null) return;
    await compareCounts(watch, checkpoint.entriesAdded + entries.length - 1 - at);
  }

  async function compareCounts(watch: QueueWatch, entriesAdded: number): Promise<void> {
    const lost = entriesAdded - (watch.position.entriesAdded ?? entriesAdded);
    if (lost > 0) {
      memory.distrust(watch.names.source);
      const rebuilt = await reconcile(watch, watch.completeUpToMs, watch.position.lastId);
      sink.lost(lost, "stream_trimmed");
      log.warn("event stream entries were trimmed during reading", { queue: watch.names.source, lost, rebuilt });
    }
    watch.isUnsaved ||= lost !== 0;
    watch.position = { lastId: watch.position.lastId, entriesAdded };
    watch.completeUpToMs = msOf(watch.position.lastId);
  }

  /** Unfinished tasks without a hash will never report an end. */
  async function countMissing(unfinished: readonly JobFacts[]): Promise<number> {
    const answers = await askEach(redis, unfinished, (pipeline, { source, jobId }) =>
      pipeline.exists(`${source}:${jobId}`),
    );
    return answers.filter((answer) => answer === 0).length;
  }

  async function readStreams(
    watches: readonly Pick<QueueWatch, "names" | "position">[],
  ): Promise<readonly StreamCheck[]> {
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

/** The position of the watch after these entries. */
export function positionAfter(watch: QueueWatch, entries: readonly RawEntry[]): StreamPosition {
  const { lastId, entriesAdded } = watch.position;
  return {
    lastId: entries.at(-1)?.[0] ?? lastId,
    entriesAdded: entriesAdded === null ? null : entriesAdded + entries.length,
  };
}
