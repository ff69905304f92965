import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Partitions } from "../../platform/database/dialects/postgres/partitions/partition-keeper.ts";
import type { Log } from "../../platform/log.ts";
import type { Metrics } from "../../platform/metrics.ts";
import { createThrottledLogPerSource } from "../../platform/throttled-log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { eventPartitions } from "../events/index.ts";
import type { RequirePositions } from "../native-schedules/index.ts";
import type { Queues } from "../queues/index.ts";
import type { Releases } from "../stats/index.ts";
import type { Workers } from "../workers/index.ts";
import { createIntakeCapacity, type Load } from "./capacity.ts";
import type { CommittedGroup } from "./commit/commit.ts";
import { commitOnPostgres } from "./commit/commit-postgres.ts";
import { commitOnSqlite } from "./commit/commit-sqlite.ts";
import { GroupCommit, type QueuedFrame, type QueuedFrameOutcome } from "./commit/group-commit.ts";
import { createIngestMetrics, type IngestLabels } from "./metrics.ts";
import { createPreparer, type IngestBatch, maxErrors } from "./prepare-batch.ts";
import { type RedactionSettings, redactorOf } from "./settings.ts";

export interface IngestOutcome {
  /** Records of the batch. */
  readonly received: number;
  /** Rows that are new. */
  readonly inserted: number;
  /** received - inserted: duplicates, dropped and ignored records. */
  readonly rejected: number;
  /** What was dropped and why, at most 10. */
  readonly errors: string[];
}

type LiveChange = {
  readonly projectId: string;
  readonly topic: "task.changed" | "worker.changed" | "schedule.changed";
  readonly ids: readonly string[] | null;
};

export interface IngestDeps {
  readonly database: Pick<Database<Tables>, "bulk">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "counter" | "histogram">;
  readonly queues: Pick<Queues, "touch" | "depthsReported">;
  readonly workers: Pick<Workers, "touch">;
  readonly releases: Pick<Releases, "seen">;
  /** Throws SchedulerUpgradeRequired. */
  readonly requirePositions: RequirePositions;
  /** Notified of changed rows after each commit. Must not throw. */
  publish(change: LiveChange): void;
  readonly settings: RedactionSettings & {
    readonly SVC_WS_INGEST_QUEUE_MAXSIZE: number;
    readonly SVC_EVENT_RETENTION_DAYS: number;
  };
  /** Labels of projects in metrics. */
  readonly labels: IngestLabels;
  /** Partitions of events on PostgreSQL; created by ingest itself when absent. */
  readonly partitions?: Partitions;
  /** Other limits of the group commit, for benchmarks: approximate events per commit, and concurrent commits on PostgreSQL. */
  readonly grouping?: { readonly maxGroupRows: number; readonly lanes: number };
}

/** Group size: enough rows to amortise the fixed cost of a commit, few enough to acknowledge quickly. */
const groupRows = 4000;
/** What may wait to be stored besides the limit on frames: two groups, and a bounded amount of text. */
const maxWaitingRows = 2 * groupRows;
const maxWaitingCharacters = 16 * 1024 * 1024;
/** Changed rows that are listed to the dashboard; above this it is sent a request to fetch again. */
const maxNamedRows = 200;

/** How groups are committed. SQLite has one writer, which finds its next group waiting. PostgreSQL commits two at once. */
function waysToCommit({ database: { bulk }, clock, partitions, grouping }: IngestDeps) {
  if (bulk.dialect === "sqlite") return { commit: commitOnSqlite(bulk, clock), lanes: 1, inFlightPerLane: 2 };
  const { pool } = bulk;
  const commit = commitOnPostgres({ pool, clock, partitions: partitions ?? eventPartitions(pool) });
  return { commit, lanes: grouping?.lanes ?? 2, inFlightPerLane: 1 };
}

/** The entry into storage for everything that agents report. */
export function createIngest(deps: IngestDeps) {
  const { clock, log, queues, releases, settings, workers } = deps;
  const redactor = redactorOf(settings);
  const metrics = createIngestMetrics(deps.metrics, deps.labels, redactor);
  const prepare = createPreparer({
    clock,
    eventRetentionDays: settings.SVC_EVENT_RETENTION_DAYS,
    redactor,
  });
  const capacity = createIntakeCapacity({
    frames: settings.SVC_WS_INGEST_QUEUE_MAXSIZE,
    rows: maxWaitingRows,
    characters: maxWaitingCharacters,
  });
  const loads = new WeakMap<QueuedFrame, Load>();
  const eventRefused = createThrottledLogPerSource(clock, (events, about) =>
    log.warn("ingest.event_refused", { ...about, events }),
  );
  const timesReplaced = createThrottledLogPerSource(clock, (count, about) =>
    log.warn("ingest.times_replaced", { ...about, count }),
  );

  const groupCommit = new GroupCommit({
    ...waysToCommit(deps),
    maxGroupRows: deps.grouping?.maxGroupRows ?? groupRows,
    taken(member) {
      const load = loads.get(member);
      if (load !== undefined) capacity.release(load);
    },
    timed: metrics.timed,
    committed(group) {
      metrics.committed(group);
      touch(group);
      announce(group);
    },
    refused(event, error) {
      metrics.dropped("storage", 1);
      const { projectId, agentId } = event.task;
      eventRefused(agentId, {
        project_id: projectId,
        agent_id: agentId,
        event_id: event.id,
        kind: event.task.kind,
        code: (error as { code?: unknown }).code,
      });
    },
  });

  /** Touches are collected by their owners and written at most once a second. */
  function touch({ stored, touches }: CommittedGroup): void {
    for (const { projectId, engine, name, at } of touches.queues) queues.touch(projectId, engine, name, new Date(at));
    for (const { projectId, engine, name, at } of touches.workers) workers.touch(projectId, engine, name, new Date(at));
    for (const { task, depths } of stored) {
      if (task.release !== null) releases.seen(task.projectId, task.release, task.at);
      if (depths === null) continue;
      queues.depthsReported(task.projectId, task.engine, Object.entries(depths), new Date(task.at));
    }
  }

  function announce({ tasks, workers, schedules }: CommittedGroup): void {
    publishAll("task.changed", tasks);
    publishAll("worker.changed", workers);
    publishAll("schedule.changed", schedules);
  }

  function publishAll(topic: LiveChange["topic"], rows: readonly { projectId: string; id: string }[]): void {
    const byProject = new Map<string, string[]>();
    for (const { projectId, id } of rows) {
      const ids = byProject.get(projectId);
      if (ids === undefined) byProject.set(projectId, [id]);
      else if (ids.length <= maxNamedRows) ids.push(id);
    }
    for (const [projectId, ids] of byProject) {
      deps.publish({ projectId, topic, ids: ids.length > maxNamedRows ? null : ids });
    }
  }

  function storePrepared(member: QueuedFrame, load: Load): Promise<QueuedFrameOutcome> {
    if (!member.events.some(({ schedule }) => schedule !== null)) return groupCommit.store(member);
    const reports = member.events.flatMap(({ schedule }) => schedule ?? []);
    const refused = (error: unknown): never => {
      capacity.release(load);
      throw error;
    };
    return deps.requirePositions(reports).then(() => groupCommit.store(member), refused);
  }

  // Not async: a suspended function keeps its parameters alive, and the parsed batch is not needed once it is prepared.
  function store(batch: IngestBatch, load: Load): Promise<IngestOutcome> {
    const { received, events, errors, drops, replacedTimes } = prepare(batch);
    for (const [reason, count] of drops) metrics.dropped(reason, count);
    if (replacedTimes > 0) timesReplaced(batch.agentId, { agent_id: batch.agentId }, replacedTimes);
    if (events.length === 0) {
      capacity.release(load);
      return Promise.resolve(outcomeOf(received, 0, errors));
    }
    const member: QueuedFrame = { agentId: batch.agentId, events };
    loads.set(member, load);
    return storePrepared(member, load).then(({ inserted, refused }) => {
      const refusals = refused.map(({ id }) => `event ${id}: refused by the database`);
      return outcomeOf(received, inserted, [...errors, ...refusals].slice(0, maxErrors));
    });
  }

  return {
    /**
     * Stores a verified batch; resolves when all of it is durable or dropped permanently. Waits while the queue is full. Rejects only with a
     * transient error (`isTransient`), or with SchedulerUpgradeRequired: then nothing of the frame may be confirmed, and it can be sent
     * again safely, in the second case without its schedule events that have no position.
     */
    submit(batch: IngestBatch): Promise<IngestOutcome> {
      const load = { frames: 1, rows: batch.events.length, characters: batch.text?.length ?? 0 };
      return capacity.take(load).then(() => store(batch, load));
    },
    /** Drops the task names of a project from the metrics. */
    forgetProject: metrics.forget,
    /** Events that wait to be stored. */
    queuedRows: () => capacity.rows(),
    /** False while a new batch would have to wait: stop reading sockets then. */
    hasCapacity: () => capacity.hasCapacity(),
    /** Resolves at once while the queue has capacity, otherwise later. */
    whenCapacity: () => capacity.whenCapacity(),
    /** Resolves when nothing is being stored; call it after the last submit. */
    stop: () => groupCommit.idle(),
  };
}

export type Ingest = ReturnType<typeof createIngest>;

const outcomeOf = (received: number, inserted: number, errors: string[]): IngestOutcome => ({
  received,
  inserted,
  rejected: received - inserted,
  errors,
});
