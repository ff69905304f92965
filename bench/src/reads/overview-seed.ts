import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { BrainDatabase } from "@svc/brain/storage";
import { withStorage } from "../harness/databases.ts";
import type { BenchMode } from "../harness/suite.ts";

/** Names with tasks in every minute. Independent of the number of tasks, so that two table sizes differ in nothing else. */
const activeNames: Record<BenchMode, number> = { quick: 2, standard: 35, full: 240 };
const queues = 17;
const workers = 90;
const releases = 10;
const losses = 50;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const depthCellMs = 2 * minuteMs;
/** The brain keeps counts per minute for 48 h, and older ones per hour. */
const minutesKept = 48 * 60;
const olderHours = 6 * 24;
const rowsPerStatement = 400;
const kinds = ["task.received", "task.started", "task.succeeded", "task.failed"] as const;
const foldBoundMs = 20 * minuteMs;

export interface OverviewSeed {
  readonly projectId: string;
  readonly agentId: string;
  readonly mode: BenchMode;
}

/**
 * Data for overview and fleet in addition to the tasks: counter changes in ingest's format, for the brain to fold; queues with a day of
 * depths, workers, releases, losses.
 */
export const seedOverview = (url: string, seed: OverviewSeed): Promise<void> =>
  withStorage(url, async (database) => {
    const nowMs = Date.now();
    const queueIds = Array.from({ length: queues }, () => randomUUID());
    const add: Add = (rows, insert) => inStatements(rows, (some) => database.write((tx) => insert(tx, some).execute()));
    // The database assigns seq.
    await add(counterChanges(seed, nowMs), (tx, rows) => tx.insertInto("counter_deltas").values(rows as never));
    await add(workerRows(seed, nowMs), (tx, rows) => tx.insertInto("workers").values(rows));
    await add(releaseRows(seed, nowMs), (tx, rows) => tx.insertInto("releases").values(rows));
    await add(lossRows(seed, nowMs), (tx, rows) => tx.insertInto("loss_intervals").values(rows));
    await add(queueRows(seed, queueIds, nowMs), (tx, rows) => tx.insertInto("queues").values(rows));
    await add(depthRows(seed, queueIds, nowMs), (tx, rows) => tx.insertInto("queue_depths").values(rows));
  });

type Tx = Parameters<Parameters<BrainDatabase["write"]>[0]>[0];
type Add = <Row>(
  rows: Iterable<Row>,
  insert: (tx: Tx, rows: Row[]) => { execute(): Promise<unknown> },
) => Promise<void>;

async function inStatements<Row>(rows: Iterable<Row>, insert: (rows: Row[]) => Promise<unknown>): Promise<void> {
  let some: Row[] = [];
  for (const row of rows) {
    if (some.push(row) < rowsPerStatement) continue;
    await insert(some);
    some = [];
  }
  if (some.length > 0) await insert(some);
}

/** Resolves when the brain on this database has folded all counter changes. */
export const whenFolded = (url: string, signal: AbortSignal): Promise<void> =>
  withStorage(url, async ({ read }) => {
    const startedMs = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const left = await read.selectFrom("counter_deltas").select("seq").limit(1).execute();
      if (left.length === 0) return;
      if (performance.now() - startedMs > foldBoundMs) throw new Error("the counters are not folded");
      await pause(200, undefined, { signal });
    }
  });

/** Eight buckets of durations of some seconds, like a minute of one name. */
const histogramOf = (index: number): string =>
  `{${Array.from({ length: 8 }, (_, step) => `"${80 + (index % 30) + step * 2}":${1 + ((index + step) % 5)}`).join(",")}}`;

function* counterChanges({ projectId, mode }: OverviewSeed, nowMs: number) {
  const names = activeNames[mode];
  const change = (bucketMs: number, name: number, kind: (typeof kinds)[number]) => {
    const hasRun = kind === "task.succeeded" || kind === "task.failed";
    return {
      project_id: projectId,
      counter: "rollup",
      bucket_at: new Date(bucketMs),
      engine: "bullmq",
      name: `app.jobs.task${name}`,
      queue: `queue-${name % queues}`,
      worker: "",
      kind,
      count: 20,
      run_ms_sum: hasRun ? 20_000 : 0,
      run_count: hasRun ? 20 : 0,
      run_histogram: hasRun ? histogramOf(name) : null,
      wait_histogram: kind === "task.started" ? histogramOf(name + 7) : null,
    };
  };
  const lastMinute = Math.floor(nowMs / minuteMs);
  const lastHour = Math.floor((lastMinute - minutesKept) / 60) - 1;
  for (let hour = lastHour - olderHours; hour <= lastHour; hour += 1) {
    for (let name = 0; name < names; name += 1) for (const kind of kinds) yield change(hour * hourMs, name, kind);
  }
  for (let minute = lastMinute - minutesKept; minute <= lastMinute; minute += 1) {
    for (let name = 0; name < names; name += 1) {
      // In each minute, one name in five fails.
      for (const kind of (name + minute) % 5 === 0 ? kinds : kinds.slice(0, -1))
        yield change(minute * minuteMs, name, kind);
    }
  }
}

function* workerRows({ projectId }: OverviewSeed, nowMs: number) {
  const at = new Date(nowMs);
  for (let index = 0; index < workers; index += 1) {
    yield {
      id: randomUUID(),
      project_id: projectId,
      engine: "bullmq",
      name: `worker-${index}@host`,
      hostname: "host",
      pid: 1000 + index,
      concurrency: 10,
      queues: JSON.stringify([`queue-${index % queues}`]),
      state: "online",
      state_key: null,
      state_at: null,
      last_heartbeat: at,
      load_average: 0.5,
      memory_bytes: 200e6,
      active_tasks: index % 10,
      metadata: "{}",
      details_at: null,
      created_at: at,
      updated_at: at,
    };
  }
}

function* releaseRows({ projectId }: OverviewSeed, nowMs: number) {
  for (let index = 0; index < releases; index += 1) {
    const at = new Date(nowMs - (releases - index) * 12 * hourMs);
    yield { project_id: projectId, release: `2026.${index}`, first_seen_at: at, noted_at: at };
  }
}

function* lossRows({ projectId, agentId }: OverviewSeed, nowMs: number) {
  for (let index = 0; index < losses; index += 1) {
    const fromMs = nowMs - (losses - index) * hourMs;
    yield {
      id: randomUUID(),
      project_id: projectId,
      agent_id: agentId,
      reason: "capacity",
      from_at: new Date(fromMs),
      to_at: new Date(fromMs + minuteMs),
      event_records: 100 + index,
      other_frames: 0,
    };
  }
}

function* queueRows({ projectId }: OverviewSeed, ids: readonly string[], nowMs: number) {
  const at = new Date(nowMs);
  for (const [index, id] of ids.entries()) {
    yield {
      id,
      project_id: projectId,
      engine: "bullmq",
      name: `queue-${index}`,
      broker_type: "redis",
      broker_url_hint: null,
      last_seen_at: at,
      pending_count: index * 10,
      consumer_count: 5,
      oldest_waiting_since: at,
      depth_reported_at: at,
      consumers_reported_at: at,
      oldest_reported_at: at,
      metadata: "{}",
      created_at: at,
      updated_at: at,
    };
  }
}

function* depthRows({ projectId }: OverviewSeed, ids: readonly string[], nowMs: number) {
  const lastMs = Math.floor(nowMs / depthCellMs) * depthCellMs;
  for (const [index, id] of ids.entries()) {
    for (let cellMs = lastMs - dayMs; cellMs <= lastMs; cellMs += depthCellMs) {
      yield {
        project_id: projectId,
        queue_id: id,
        cell_at: new Date(cellMs),
        pending_count: (cellMs / depthCellMs) % (index + 10),
        consumer_count: 5,
      };
    }
  }
}
