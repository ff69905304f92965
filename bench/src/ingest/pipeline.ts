import { openIngestAlone } from "@svc/brain/ingest";
import { type BrainDatabase, migrateStorage, openStorage } from "@svc/brain/storage";
import { addProject } from "@svc/testkit/databases";
import { type Connection, ingestProjectId } from "./signed-traffic.ts";

/** How the suites open a database themselves. */
export const benchLimits = {
  synchronous: "full",
  poolSize: 10,
  maxOverflow: 5,
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 10_000,
  idleInTransactionMs: 60_000,
  inactiveConnectionSeconds: 60,
  requireTls: false,
  onError: () => {},
} as const;

/** A migrated database of its own with the project of the traffic. */
export async function openBenchDatabase(url: string): Promise<BrainDatabase> {
  const database = await openStorage({ url, ...benchLimits });
  await migrateStorage(database, new Date(), 30_000);
  await addProject(database, ingestProjectId);
  return database;
}

export interface PipelineResult {
  readonly events: number;
  /** From the first frame to the last acknowledgement. */
  readonly seconds: number;
  /** The same and until the loops behind ingest have nothing left to do. */
  readonly settledSeconds: number;
  /** From handing in a frame to its acknowledgement. */
  readonly ackMs: readonly number[];
}

export interface PipelineOptions {
  /** Frames of one connection that may be unacknowledged; Infinity leaves it to the queue's own bound, as the gateway does. */
  readonly window: number;
  /** Other bounds of the group commit: one row per commit switches it off. */
  readonly grouping?: { readonly maxGroupRows: number; readonly lanes: number };
}

/** Sends pre-signed frames through verification and ingest into the database, with the loops of a brain running beside it. */
export async function runPipeline(
  database: BrainDatabase,
  connections: readonly Connection[],
  { window, grouping }: PipelineOptions,
): Promise<PipelineResult> {
  const alone = openIngestAlone({ database, ...(grouping !== undefined && { grouping }) });
  const { ingest } = alone;
  const ackMs: number[] = [];
  let events = 0;

  async function send({ agentId, frames, verifier }: Connection): Promise<void> {
    const waiting = new Set<Promise<void>>();
    for (const message of frames) {
      await ingest.whenRoom();
      while (waiting.size >= window) await Promise.race(waiting);
      const opened = verifier.open(message);
      if (!opened.ok) throw new Error(`the frame was refused: ${opened.message}`);
      const { frame, text } = opened;
      const payload = frame.payload as { events: unknown[]; sealed_at: string };
      const startedMs = performance.now();
      const submitted = ingest
        .submit({
          projectId: ingestProjectId,
          agentId,
          frameTs: frame.ts as string,
          sealedAt: payload.sealed_at,
          events: payload.events,
          text,
        })
        .then(({ inserted }) => {
          ackMs.push(performance.now() - startedMs);
          events += inserted;
          waiting.delete(submitted);
        });
      waiting.add(submitted);
      // A socket is read between other things; without a pause one connection would starve the acknowledgements.
      await new Promise(setImmediate);
    }
    await Promise.all(waiting);
  }

  let isDone = false;
  const loops = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await alone.foldCounters();
      await alone.indexTaskIds();
    }
  })();
  const startedMs = performance.now();
  await Promise.all(connections.map(send));
  const seconds = (performance.now() - startedMs) / 1000;
  await alone.foldCounters();
  await alone.indexTaskIds();
  const settledSeconds = (performance.now() - startedMs) / 1000;
  isDone = true;
  await loops;
  await alone.stop();
  return { events, seconds, settledSeconds, ackMs };
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
