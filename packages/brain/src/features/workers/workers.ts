import { type Redactor, readAdapterHealth, readHeartbeat, type WorkerReport } from "@svc/protocol";
import { WriteBehind } from "../../platform/coalescing/write-behind.ts";
import { storedJson } from "../../platform/database/values/stored-json.ts";
import { minutes } from "../../platform/durations.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core } from "../../schema/tables/index.ts";
import { queueNames } from "../queues/index.ts";
import { takeSilentOffline, type WorkerDetails, type WorkerNote, writeWorkerNotes } from "./store.ts";

export interface WorkersDeps extends Core {
  readonly settings: { readonly SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: number };
  readonly redactor: Pick<Redactor, "redactWorker">;
  publish(change: { projectId: string; topic: "worker.changed"; ids: readonly string[] | null }): void;
  onError(error: unknown): void;
}

const writeEveryMs = 1000;
const maxWorkers = 10_000;
const rowsPerStatement = 200;
/** A worker may be silent this much longer than an agent before it is marked offline. */
const graceMs = minutes(1);
/** Maximum length of stored metadata. Of longer metadata, only the settings are kept, if they fit. */
const metadataCharacters = 65_536;

/** Records the workers that engines report. Best effort: values never go back in time, and it never delays an ingest batch. */
export function createWorkers({ database, clock, settings, redactor, publish, onError }: WorkersDeps) {
  const notes = new WriteBehind<WorkerNote>({
    everyMs: writeEveryMs,
    maxKeys: maxWorkers,
    maxNotes: rowsPerStatement,
    write: writeNotes,
    onError,
  });

  function workerNote(projectId: string, engine: string, name: string, at: Date): WorkerNote | undefined {
    const note = notes.getOrCreate(`${projectId}\0${engine}\0${name}`, () => ({
      projectId,
      engine,
      name,
      lastHeartbeat: at,
      details: null,
    }));
    if (note !== undefined && note.lastHeartbeat < at) note.lastHeartbeat = at;
    return note;
  }

  /** Free-form reports may contain task arguments and server addresses, and be nested deeper than can be stored. */
  function redacted(report: WorkerReport): WorkerReport {
    const { stats, active, active_queues, registered, conf } = report;
    return {
      ...report,
      ...(redactor.redactWorker({ stats, active, active_queues, registered, conf }) as WorkerReport),
    };
  }

  async function writeNotes(some: WorkerNote[]): Promise<void> {
    const options = { now: clock.now(), newId: () => uuidV7(clock) };
    // Alone: in a shared transaction, the locks of other work could cause deadlocks despite the lock order.
    publishRows(await database.write((tx) => writeWorkerNotes(tx, some, options), { alone: true }));
  }

  function publishRows(rows: readonly { project_id: string; id: string }[]): void {
    for (const [projectId, own] of Map.groupBy(rows, ({ project_id }) => project_id)) {
      publish({ projectId, topic: "worker.changed", ids: own.map(({ id }) => id) });
    }
  }

  return {
    /** An event named the worker at `at`. */
    touch(projectId: string, engine: string, name: string, at: Date): void {
      if (name !== "") workerNote(projectId, engine, name, at);
    },
    /** The worker_details in the adapter_health of a heartbeat. */
    applyHealth(projectId: string, frameTs: Date, health: Record<string, unknown>): void {
      const texts = readHeartbeat({ adapter_health: health }).adapter_health;
      for (const { engine, workers } of readAdapterHealth(texts)) {
        for (const [name, report] of workers) {
          const note = workerNote(projectId, engine, name, frameTs);
          if (note !== undefined && (note.details === null || note.details.at <= frameTs)) {
            note.details = detailsOf(redacted(report), frameTs);
          }
        }
      }
    },
    /** Marks workers offline that were not reported for the agent offline timeout plus a minute; returns how many. */
    async sweepSilent(): Promise<number> {
      const now = clock.now();
      const cutoff = new Date(now.getTime() - settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000 - graceMs);
      const rows = await database.write((tx) => takeSilentOffline(tx, { cutoff, now }), {
        alone: true,
      });
      publishRows(rows);
      return rows.length;
    },
    /** Writes pending notes now. */
    flush: () => notes.flush(),
    stop: () => notes.stop(),
  };
}

export type Workers = ReturnType<typeof createWorkers>;

function detailsOf(report: WorkerReport, at: Date): WorkerDetails {
  const { stats, active, active_queues: activeQueues, registered, conf } = report;
  return {
    at,
    hostname: report.hostname ?? null,
    pid: report.pid ?? null,
    concurrency: report.concurrency ?? null,
    queues: storedJson(queueNames(activeQueues)),
    load_average: report.load_average ?? null,
    memory_bytes: report.memory_bytes ?? null,
    active_tasks: report.active_tasks ?? (Array.isArray(active) ? active.length : 0),
    metadata: metadataOf({ stats, active, active_queues: activeQueues, registered, conf }),
  };
}

function metadataOf(members: Readonly<Record<string, unknown>>): string {
  for (const kept of [members, { conf: members.conf }]) {
    const text = storedJson(kept);
    if (text.length <= metadataCharacters) return text;
  }
  return "{}";
}
