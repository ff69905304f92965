import { openIngestAlone } from "@svc/brain/ingest";
import type { BrainDatabase } from "@svc/brain/storage";
import { benchProjectId } from "../harness/databases.ts";
import type { Connection } from "./signed-traffic.ts";

export interface PipelineResult {
  readonly events: number;
  /** Time from the first frame to the last acknowledgement. */
  readonly seconds: number;
  /** Time until the loops behind ingest have finished too. */
  readonly settledSeconds: number;
  /** Time from submitting a frame to its acknowledgement. */
  readonly ackMs: readonly number[];
}

export interface PipelineOptions {
  /** Maximum number of unacknowledged frames per connection; Infinity uses the queue's own bound, like the gateway. */
  readonly window: number;
  /** Overrides the bounds of the group commit: one row per commit disables it. */
  readonly grouping?: { readonly maxGroupRows: number; readonly lanes: number } | undefined;
}

/** Sends pre-signed frames through verification and ingest into the database, with the loops of a brain running in parallel. */
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
      await ingest.whenCapacity();
      while (waiting.size >= window) await Promise.race(waiting);
      const opened = verifier.open(message);
      if (!opened.ok) throw new Error(`the frame was refused: ${opened.message}`);
      const { frame, text } = opened;
      const payload = frame.payload as { events: unknown[]; sealed_at: string };
      const startedMs = performance.now();
      const submitted = ingest
        .submit({
          projectId: benchProjectId,
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
      // A pause like a socket's reads; without it, one connection would starve the acknowledgements.
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
