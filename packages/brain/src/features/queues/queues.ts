import { type QueueHold, readAdapterHealth, readHeartbeat, readInstant, storableText } from "@svc/protocol";
import { WriteBehind } from "../../platform/coalescing/write-behind.ts";
import type { Tx } from "../../platform/database/database.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, Tables } from "../../schema/tables/index.ts";
import { writeDepthCells } from "./depth-store.ts";
import { type QueueNote, type StoredHold, writeQueueNotes } from "./store.ts";

export interface QueuesDeps extends Core {
  publish(change: { projectId: string; topic: "queue.changed"; ids: readonly string[] | null }): void;
  onError(error: unknown): void;
}

const writeEveryMs = 1000;
const maxQueues = 10_000;
const rowsPerStatement = 200;
const nameCharacters = 200;

/** Records when queues were seen and their reported depths. Best effort: it never delays an ingest batch. */
export function createQueues({ database, clock, publish, onError }: QueuesDeps) {
  const notes = new WriteBehind<QueueNote>({
    everyMs: writeEveryMs,
    maxKeys: maxQueues,
    maxNotes: rowsPerStatement,
    write: writeNotes,
    onError,
  });

  function queueNote(projectId: string, engine: string, name: string, at: Date): QueueNote | undefined {
    const note = notes.getOrCreate(keyOf({ projectId, engine, name }), () => ({
      projectId,
      engine,
      name,
      lastSeenAt: at,
      depth: null,
      consumers: null,
      oldest: null,
    }));
    if (note !== undefined && note.lastSeenAt < at) note.lastSeenAt = at;
    return note;
  }

  async function writeNotes(some: QueueNote[]): Promise<void> {
    const options = { now: clock.now(), newId: () => uuidV7(clock) };
    const write = async (tx: Tx<Tables>) => {
      const written = await writeQueueNotes(tx, some, options);
      const reported = new Set(some.flatMap((note) => (note.depth === null ? [] : [keyOf(note)])));
      const deep = written.filter(({ project_id, engine, name }) =>
        reported.has(keyOf({ projectId: project_id, engine, name })),
      );
      await writeDepthCells(tx, deep, options.now);
      return written;
    };
    // Alone: in a shared transaction, the locks of other work could cause deadlocks despite the lock order.
    const rows = await database.write(write, { alone: true });
    for (const [projectId, own] of Map.groupBy(rows, ({ project_id }) => project_id)) {
      publish({ projectId, topic: "queue.changed", ids: own.map(({ id }) => id) });
    }
  }

  const queues = {
    /** An event named the queue at `at`. */
    touch(projectId: string, engine: string, name: string, at: Date): void {
      if (name !== "") queueNote(projectId, engine, name, at);
    },
    /** Depths by queue name at `at`. */
    depthsReported(projectId: string, engine: string, depths: Iterable<readonly [string, number]>, at: Date): void {
      for (const [name, count] of depths) {
        const note = queueNote(projectId, engine, name, at);
        if (note !== undefined && isLater(note.depth, at)) note.depth = { count, at, hold: null };
      }
    },
    /** The adapter_health of a heartbeat. Reports are ordered by the time of their frame. */
    applyHealth(projectId: string, frameTs: Date, health: Record<string, unknown>): void {
      const texts = readHeartbeat({ adapter_health: health }).adapter_health;
      for (const report of readAdapterHealth(texts)) {
        const { engine } = report;
        queues.depthsReported(projectId, engine, report.queueDepths, frameTs);
        for (const [name, count] of report.queueConsumers) {
          const note = queueNote(projectId, engine, name, frameTs);
          if (note !== undefined && isLater(note.consumers, frameTs)) note.consumers = { count, at: frameTs };
        }
        for (const [name, text] of report.queueOldest) {
          const since = readInstant(text, { zone: "utc" });
          const note = since === null ? undefined : queueNote(projectId, engine, name, frameTs);
          if (note !== undefined && since !== null && isLater(note.oldest, frameTs)) {
            note.oldest = { since: new Date(since), at: frameTs };
          }
        }
        for (const [name, hold] of report.queueHolds) {
          const depth = queueNote(projectId, engine, name, frameTs)?.depth;
          if (depth?.at === frameTs) depth.hold = storedHold(hold, frameTs);
        }
        for (const worker of report.workers.values()) {
          for (const name of queueNames(worker.active_queues)) queueNote(projectId, engine, name, frameTs);
        }
      }
    },
    /** Writes pending notes now. */
    flush: () => notes.flush(),
    stop: () => notes.stop(),
  };
  return queues;
}

export type Queues = ReturnType<typeof createQueues>;

const isLater = (known: { readonly at: Date } | null, at: Date): boolean => known === null || known.at < at;

/** An unreadable instant is ignored. */
function storedHold({ paused, limited_until: until }: QueueHold, at: Date): StoredHold | null {
  const untilMs = until === undefined ? null : readInstant(until, { zone: "utc" });
  if (paused !== true && untilMs === null) return null;
  return {
    ...(paused === true && { paused, paused_since: at.toISOString() }),
    ...(untilMs !== null && { limited_until: new Date(untilMs).toISOString() }),
  };
}

const keyOf = ({ projectId, engine, name }: Pick<QueueNote, "projectId" | "engine" | "name">): string =>
  `${projectId}\0${engine}\0${name}`;

/** Names in an engine's list of queues. Entries are names, or objects with a name. */
export function queueNames(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .map((entry: unknown) => (typeof entry === "object" && entry !== null ? (entry as { name?: unknown }).name : entry))
    .filter((name): name is string => typeof name === "string" && name !== "" && name.length <= nameCharacters)
    .slice(0, 1024)
    .map(storableText);
}
