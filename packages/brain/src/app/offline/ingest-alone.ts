import { createIngest, type IngestDeps, redactorOf } from "../../features/ingest/index.ts";
import { createPositionCheck } from "../../features/native-schedules/index.ts";
import { createQueues } from "../../features/queues/index.ts";
import { compactRollups, createReleases, foldCounters } from "../../features/stats/index.ts";
import { indexTaskIds } from "../../features/tasks/index.ts";
import { createWorkers } from "../../features/workers/index.ts";
import { systemClock } from "../../platform/clock.ts";
import { createLog, type Log } from "../../platform/log.ts";
import { createMetrics } from "../../platform/metrics.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

export interface IngestAloneOptions {
  readonly database: BrainDatabase;
  readonly clock?: IngestDeps["clock"];
  readonly log?: Log;
  readonly publish?: (change: { projectId: string; topic: string; ids: readonly string[] | null }) => void;
  readonly settings?: Partial<IngestDeps["settings"]>;
  readonly grouping?: IngestDeps["grouping"];
  readonly requirePositions?: IngestDeps["requirePositions"];
  /** Receives errors of queues and workers that could not be written; without it they are thrown. */
  readonly onError?: (error: unknown) => void;
}

/** The path from verified frames into the database with its loops, without the rest of a brain: for benchmarks and store tests. */
export function openIngestAlone(options: IngestAloneOptions) {
  const { database, clock = systemClock, publish = () => {}, grouping } = options;
  const settings: IngestDeps["settings"] = {
    SVC_WS_INGEST_QUEUE_MAXSIZE: 2000,
    SVC_MAX_PAYLOAD_SIZE_BYTES: 8192,
    SVC_REDACTION_EXTRA_KEY_PATTERNS: [],
    SVC_REDACTION_EXTRA_VALUE_PATTERNS: [],
    SVC_EVENT_RETENTION_DAYS: 30,
    ...options.settings,
  };
  const onError =
    options.onError ??
    ((error: unknown) => {
      throw error;
    });
  const queues = createQueues({ database, clock, publish, onError });
  const workers = createWorkers({
    database,
    clock,
    publish,
    onError,
    redactor: redactorOf(settings),
    settings: { SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: 30 },
  });
  const releases = createReleases({ database, onError });
  const metrics = createMetrics();
  const ingest = createIngest({
    database,
    clock,
    log: options.log ?? createLog({ level: "error", json: true }),
    metrics,
    queues,
    workers,
    releases,
    requirePositions: options.requirePositions ?? createPositionCheck(database),
    // Without the table of projects, their ids are used instead.
    labels: { of: (projectId) => projectId, whenKnown: (_projectIds, work) => work() },
    publish,
    ...(grouping !== undefined && { grouping }),
    settings,
  });
  const signal = new AbortController().signal;
  return {
    ingest,
    queues,
    workers,
    metrics,
    /** Runs each loop that finishes the work of ingest once. */
    foldCounters: () => foldCounters.tick({ database, clock, signal }),
    compactRollups: () => compactRollups.tick({ database, clock, signal }),
    indexTaskIds: () => indexTaskIds.tick({ database, signal }),
    async stop(): Promise<void> {
      await ingest.stop();
      await Promise.all([queues.stop(), workers.stop(), releases.stop()]);
    },
  };
}
