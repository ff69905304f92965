import { days, hours, minutes } from "../../../platform/durations.ts";
import type { Loop } from "../../../platform/loop.ts";
import { overflowLabel } from "../../../platform/metrics.ts";
import type { Core } from "../../../schema/tables/index.ts";
import { bucketStart, hoursBegin, minutesBegin } from "./buckets.ts";
import {
  addNameRollups,
  addRollups,
  addTaskCounts,
  addWorkerCounts,
  type CounterTx,
  knownNames,
  lockCounters,
  type NameSum,
  noteNames,
  type RollupSum,
  type TakenDelta,
  takeDeltas,
  takeOldMinutes,
  type WorkerSum,
} from "./fold-store.ts";
import { addStored, type Histogram } from "./histogram.ts";

const deltasPerRound = 5000;
const roundsPerTick = 20;
const minutesPerRound = 2000;
const namesPerProject = 1000;
const hourMs = hours(1);
const dayMs = days(1);
const quarterMs = hourMs / 4;
/** Figures by name: how tasks ended, and how long they waited before they started. */
const summedKinds: ReadonlySet<string> = new Set([
  "task.started",
  "task.retried",
  "task.succeeded",
  "task.failed",
  "task.revoked",
  "task.rejected",
]);
/** How often a name is recorded as still in use. */
export const nameNotedMs = 24 * hourMs;

/**
 * Applies counter changes to the counters, every second. Leader only: one replica is enough. Each round deletes and counts the changes in one
 * transaction, which waits for any other that merges counters; so each change is counted exactly once.
 */
export const foldCounters: Loop<Core> = {
  name: "stats.fold-counters",
  everyMs: 1000,
  leaderOnly: true,
  async tick({ database, clock, signal }) {
    const now = clock.now();
    let folded = 0;
    for (let round = 0; round < roundsPerTick && !signal.aborted; round += 1) {
      const count = await database.write(async (tx) => {
        await lockCounters(tx);
        return foldRound(tx, now);
      });
      folded += count;
      if (count < deltasPerRound) break;
    }
    return { folded };
  },
};

/** Moves minutes older than 48 h into hours, in rounds that are transactions like those of the folding. Leader only. */
export const compactRollups: Loop<Core> = {
  name: "stats.compact-rollups",
  everyMs: minutes(10),
  leaderOnly: true,
  async tick({ database, clock, signal }) {
    const cutoff = minutesBegin(clock.now());
    let compacted = 0;
    while (!signal.aborted) {
      const count = await database.write(async (tx) => {
        await lockCounters(tx);
        const minutes = await takeOldMinutes(tx, cutoff, minutesPerRound);
        const hours = new Sums();
        for (const minute of minutes) hours.addRollup(minute, bucketStart(minute.bucket_at, hourMs), 60);
        await addRollups(tx, [...hours.rollups.values()]);
        return minutes.length;
      });
      compacted += count;
      if (count === 0) break;
    }
    return { compacted };
  },
};

async function foldRound(tx: CounterTx, now: Date): Promise<number> {
  const deltas = await takeDeltas(tx, deltasPerRound);
  if (deltas.length === 0) return 0;
  const sums = new Sums();
  const minuteLimit = minutesBegin(now);
  const hourLimit = hoursBegin(now);
  const nameOf = await nameLimiter(tx, deltas, now);
  for (const delta of deltas) {
    const { bucket_at: at, counter, project_id, engine, kind, count } = delta;
    if (counter === "state") sums.addState(project_id, kind, count);
    else if (counter === "worker" && at !== null) {
      sums.addWorker({ project_id, engine, worker: delta.worker, hour_at: at, kind, count });
    } else if (counter === "rollup" && at !== null) {
      const isOld = at < minuteLimit;
      const bucket = isOld ? bucketStart(at, hourMs) : at;
      const grainMinutes = isOld ? 60 : 1;
      const named = { ...delta, name: nameOf(delta) };
      sums.addRollup(named, bucket, grainMinutes);
      sums.addRollup({ ...delta, ...allOfProject }, bucket, grainMinutes);
      if (delta.queue !== "") sums.addRollup({ ...delta, ...allOfQueue }, bucket, grainMinutes);
      if (!summedKinds.has(kind)) continue;
      // The daily chart has quarter hours, and only the chart of the whole project is requested often.
      if (at >= hourLimit) sums.addName({ ...delta, name: allOfProject.name }, bucketStart(at, quarterMs), 15);
      for (const name of new Set([named.name, allOfProject.name])) {
        if (at >= hourLimit) sums.addName({ ...delta, name }, bucketStart(at, hourMs), 60);
        sums.addName({ ...delta, name }, bucketStart(at, dayMs), 1440);
      }
    }
  }
  await addRollups(tx, [...sums.rollups.values()]);
  await addNameRollups(tx, [...sums.names.values()]);
  await addWorkerCounts(tx, [...sums.workers.values()]);
  await addTaskCounts(tx, sums.stateCounts());
  return deltas.length;
}

/** Names of a project beyond the first thousand are counted together, because they come from outside. */
async function nameLimiter(tx: CounterTx, deltas: readonly TakenDelta[], now: Date) {
  const wanted = new Map<string, Set<string>>();
  for (const { counter, project_id, name } of deltas) {
    if (counter !== "rollup" || name === "") continue;
    const names = wanted.get(project_id);
    if (names === undefined) wanted.set(project_id, new Set([name]));
    else names.add(name);
  }
  const admitted = new Map<string, Set<string>>();
  for (const [projectId, names] of wanted) {
    const known = await knownNames(tx, projectId, namesPerProject);
    const fresh = [...names].filter((name) => !known.has(name)).slice(0, Math.max(0, namesPerProject - known.size));
    // Once a day is enough to record which names are still in use (prune-store.ts).
    const isDue = (name: string) => (known.get(name)?.getTime() ?? now.getTime()) <= now.getTime() - nameNotedMs;
    await noteNames(tx, projectId, [...fresh, ...[...names].filter(isDue)], now);
    admitted.set(projectId, new Set([...known.keys(), ...fresh]));
  }
  return ({ project_id, name }: TakenDelta): string =>
    name === "" || admitted.get(project_id)?.has(name) === true ? name : overflowLabel;
}

type Addend = Pick<
  TakenDelta,
  | "project_id"
  | "engine"
  | "name"
  | "queue"
  | "kind"
  | "count"
  | "run_ms_sum"
  | "run_count"
  | "run_histogram"
  | "wait_histogram"
>;

/** The key of a total, in addition to the rollups that it sums up: charts of a whole project read it, however many names there are. */
const allOfProject = { engine: "", name: "", queue: "" };
/** The same for a queue, which may have any number of names. */
const allOfQueue = { engine: "", name: "" };

/** Sums by counter key. */
class Sums {
  readonly rollups = new Map<string, RollupSum>();
  readonly names = new Map<string, NameSum>();
  readonly workers = new Map<string, WorkerSum>();
  private readonly states = new Map<string, { project_id: string; state: string; count: number }>();

  addRollup(addend: Addend, bucketAt: Date, grainMinutes: number): void {
    const { project_id, engine, name, queue, kind } = addend;
    const key = [project_id, bucketAt.getTime(), grainMinutes, kind, engine, name, queue].join("\0");
    let sum = this.rollups.get(key);
    if (sum === undefined) {
      const place = { project_id, grain_minutes: grainMinutes, bucket_at: bucketAt, engine, name, queue, kind };
      sum = { ...place, ...nothing(), run: new Map(), wait: new Map() };
      this.rollups.set(key, sum);
    }
    addTo(sum, addend);
  }

  addName(addend: Addend, bucketAt: Date, grainMinutes: number): void {
    const { project_id, name, kind } = addend;
    const key = [project_id, bucketAt.getTime(), grainMinutes, kind, name].join("\0");
    let sum = this.names.get(key);
    if (sum === undefined) {
      const place = { project_id, grain_minutes: grainMinutes, bucket_at: bucketAt, name, kind };
      sum = { ...place, ...nothing(), run: new Map(), wait: new Map() };
      this.names.set(key, sum);
    }
    addTo(sum, addend);
  }

  addWorker(row: WorkerSum): void {
    const key = [row.project_id, row.hour_at.getTime(), row.engine, row.worker, row.kind].join("\0");
    const sum = this.workers.get(key);
    if (sum === undefined) this.workers.set(key, { ...row });
    else sum.count += row.count;
  }

  addState(projectId: string, state: string, count: number): void {
    const key = `${projectId}\0${state}`;
    const sum = this.states.get(key);
    if (sum === undefined) this.states.set(key, { project_id: projectId, state, count });
    else sum.count += count;
  }

  stateCounts() {
    return [...this.states.values()].filter(({ count }) => count !== 0);
  }
}

const nothing = () => ({ count: 0, run_ms_sum: 0, run_count: 0 });

interface Growing {
  count: number;
  run_ms_sum: number;
  run_count: number;
  readonly run: Histogram;
  readonly wait: Histogram;
}

function addTo(sum: Growing, { count, run_ms_sum, run_count, run_histogram, wait_histogram }: Addend): void {
  sum.count += count;
  sum.run_ms_sum += run_ms_sum;
  sum.run_count += run_count;
  addStored(sum.run, run_histogram);
  addStored(sum.wait, wait_histogram);
}
