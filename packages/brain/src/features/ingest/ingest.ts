import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Metrics } from "../../platform/metrics.ts";
import { createThrottledLogPerSource } from "../../platform/throttled-log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { createPartitionKeeper, type Partitions } from "../events/index.ts";
import type { Queues } from "../queues/index.ts";
import type { Releases } from "../stats/index.ts";
import type { Workers } from "../workers/index.ts";
import { createIntakeCapacity, type Load } from "./capacity.ts";
import type { CommittedGroup } from "./commit/commit.ts";
import { commitOnPostgres } from "./commit/commit-postgres.ts";
import { commitOnSqlite } from "./commit/commit-sqlite.ts";
import { GroupCommit, type QueuedFrame } from "./commit/group-commit.ts";
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
  readonly topic: "task.changed" | "worker.changed";
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
  /** Told of changed rows after each commit. Must not throw. */
  publish(change: LiveChange): void;
  readonly settings: RedactionSettings & {
    readonly SVC_WS_INGEST_QUEUE_MAXSIZE: number;
    readonly SVC_EVENT_RETENTION_DAYS: number;
  };
  /** Labels of projects in metrics. */
  readonly labels: IngestLabels;
  /** Partitions of events on the server database; made by ingest itself when absent. */
  readonly partitions?: Partitions;
  /** Other bounds of the group commit, for benchmarks: events of one commit, about, and commits under way on the server database. */
  readonly grouping?: { readonly maxGroupRows: number; readonly lanes: number };
}

/** One group commit: enough rows to make its fixed cost vanish, few enough to keep an acknowledgement quick. */
const groupRows = 4000;
/** What may wait to be stored beside the bound on frames: two groups, and no more text than memory can spare. */
const maxWaitingRows = 2 * groupRows;
const maxWaitingCharacters = 16 * 1024 * 1024;
/** Changed rows that are named to the dashboard; more are a reason to fetch again. */
const maxNamedRows = 200;

/** How groups are committed. SQLite has one writer, which finds its next group waiting when it ends one. PostgreSQL works on two at once. */
function waysToCommit({ database: { bulk }, clock, partitions, grouping }: IngestDeps) {
  if (bulk.dialect === "sqlite") return { commit: commitOnSqlite(bulk, clock), lanes: 1, inFlightPerLane: 2 };
  const { pool } = bulk;
  const commit = commitOnPostgres({ pool, clock, partitions: partitions ?? createPartitionKeeper(pool) });
  return { commit, lanes: grouping?.lanes ?? 2, inFlightPerLane: 1 };
}

/** The door into storage for everything that agents report (spec part 3, sections 1.10 and 2). */
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
      if (load !== undefined) capacity.giveBack(load);
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

  /** Touches are gathered by their owners and written at most once a second (2.4). */
  function touch({ stored, touches }: CommittedGroup): void {
    for (const { projectId, engine, name, at } of touches.queues) queues.touch(projectId, engine, name, new Date(at));
    for (const { projectId, engine, name, at } of touches.workers) workers.touch(projectId, engine, name, new Date(at));
    for (const { task, depths } of stored) {
      if (task.release !== null) releases.seen(task.projectId, task.release, task.at);
      if (depths === null) continue;
      queues.depthsReported(task.projectId, task.engine, Object.entries(depths), new Date(task.at));
    }
  }

  function announce({ tasks, workers }: CommittedGroup): void {
    publishAll("task.changed", tasks);
    publishAll("worker.changed", workers);
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

  // Not async: a function that waits keeps its parameters alive, and what was parsed is of no use once it is prepared.
  function store(batch: IngestBatch, load: Load): Promise<IngestOutcome> {
    const { received, events, errors, drops, replacedTimes } = prepare(batch);
    for (const [reason, count] of drops) metrics.dropped(reason, count);
    if (replacedTimes > 0) timesReplaced(batch.agentId, { agent_id: batch.agentId }, replacedTimes);
    if (events.length === 0) {
      capacity.giveBack(load);
      return Promise.resolve(outcomeOf(received, 0, errors));
    }
    const member: QueuedFrame = { agentId: batch.agentId, events };
    loads.set(member, load);
    return groupCommit.store(member).then(({ inserted, refused }) => {
      const refusals = refused.map(({ id }) => `event ${id}: the database refuses it`);
      return outcomeOf(received, inserted, [...errors, ...refusals].slice(0, maxErrors));
    });
  }

  return {
    /**
     * Stores a verified batch; resolves when all of it is durable or dropped for good. A full queue makes it wait. Rejects only with a
     * transient error (`isTransient`): then nothing of the frame may be confirmed, and sending it again is harmless.
     */
    submit(batch: IngestBatch): Promise<IngestOutcome> {
      const load = { frames: 1, rows: batch.events.length, characters: batch.text?.length ?? 0 };
      return capacity.take(load).then(() => store(batch, load));
    },
    /** Forgets the task names that the metrics tell apart for a project. */
    forgetProject: metrics.forget,
    /** Events that wait to be stored. */
    queuedRows: () => capacity.rows(),
    /** False while whoever comes has to wait: the time to stop reading sockets. */
    hasRoom: () => capacity.hasRoom(),
    /** Resolves at once while the queue has room, later when it is full. */
    whenRoom: () => capacity.whenRoom(),
    /** Resolves when nothing is on its way into the database; to be called after the last submit. */
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
