import { cutCharacters } from "@svc/protocol";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { nameCharacters } from "./deltas.ts";
import { addStored, countOf, type Histogram, quantilesOf } from "./histogram.ts";
import {
  type DurationScope,
  durationsByName,
  durationsOfNames,
  minutesOfNames,
  type NamedDurations,
  rollupDurations,
  type StoredDurations,
} from "./latency-reads.ts";
import type { LatencyNamesQuery, LatencyQuery } from "./schemas.ts";
import {
  type BucketPlan,
  bucketMs,
  bucketStart,
  hoursBegin,
  minutesBegin,
  planBuckets,
  rangeOrLastDay,
  type TimeRange,
  widthFor,
} from "./time-range.ts";

/** Events that tell how long a run took; those of task.started tell how long it had waited. */
const runKinds = ["task.succeeded", "task.failed", "task.retried"];
const waitKind = "task.started";
/** Ranges up to this are compared by the minute. */
const shortMs = 3_600_000;
/** Ranges beyond this are compared by the day. */
const longMs = 3 * 86_400_000;

interface Request<Query> {
  readonly projectId: string;
  readonly query: Query;
  readonly now: Date;
}

/** Percentiles of run and waiting times by UTC bucket (spec part 3, section 5.7); a bucket without values has null, never 0. */
export async function readLatency(database: Database<Tables>, { projectId, query, now }: Request<LatencyQuery>) {
  const range = rangeOrLastDay(query, now);
  const plan = planBuckets(range, query.bucket ?? widthFor(range), now);
  const scope = {
    projectId,
    kinds: [...runKinds, waitKind],
    name: query.name === undefined || query.name === "" ? undefined : cutCharacters(query.name, nameCharacters),
    queue: query.queue === undefined || query.queue === "" ? undefined : query.queue,
  };
  const cells = Array.from({ length: plan.count }, () => new Durations());
  const all = new Durations();
  for (const row of await durationsOf(database, scope, { plan, now })) {
    cells[Math.floor((row.bucket_at.getTime() - plan.from.getTime()) / plan.widthMs)]?.add(row);
    all.add(row);
  }
  return {
    bucket: plan.bucket,
    total: all.percentiles(),
    series: cells.map((cell, index) => ({
      t: new Date(plan.from.getTime() + index * plan.widthMs),
      ...cell.percentiles(),
    })),
  };
}

/** Figures by name are the shorter way where they go back far enough and no queue is asked for. */
function durationsOf(
  database: Database<Tables>,
  scope: DurationScope,
  { plan, now }: { plan: BucketPlan; now: Date },
): Promise<StoredDurations[]> {
  const { bucket, from, to } = plan;
  if (scope.queue === undefined) {
    if (bucket === "1d") return durationsByName(database, 1440, scope, { from, to });
    if (bucket === "1h" && from >= hoursBegin(now)) return durationsByName(database, 60, scope, { from, to });
    if (bucket === "15m" && scope.name === undefined) return durationsByName(database, 15, scope, { from, to });
  }
  return rollupDurations(database, scope, { from, to });
}

/** The names whose runs of a range took longest, by p95, each with its run times in the range of the same length before. */
export async function readSlowestNames(
  database: Database<Tables>,
  { projectId, query, now }: Request<LatencyNamesQuery>,
) {
  const { before, range, rowsOf } = comparedRanges(database, rangeOrLastDay(query, now), now);
  const scope = { projectId, kinds: runKinds };
  const [rows, earlier] = await Promise.all([rowsOf(scope, range), rowsOf(scope, before)]);
  const earlierByName = Map.groupBy(earlier, ({ name }) => name);
  const items = [...Map.groupBy(rows, ({ name }) => name)].flatMap(([name, own]) => {
    const run = runOf(own);
    if (run === null) return [];
    const failed = own.reduce((sum, { kind, count }) => (kind === "task.failed" ? sum + count : sum), 0);
    return [{ name, run, failed, previous: runOf(earlierByName.get(name) ?? []) }];
  });
  items.sort((a, b) => b.run.p95 - a.run.p95 || (a.name < b.name ? -1 : 1));
  return { since: range.from, until: range.to, previous_since: before.from, items: items.slice(0, query.limit ?? 8) };
}

type NamedScope = Omit<DurationScope, "name" | "queue">;

/**
 * The two ranges that are compared, which never share a bucket: by the minute for an hour at most, by whole hours for three days, else by
 * whole days; the last bucket is the running one.
 */
function comparedRanges(database: Database<Tables>, { from, to }: TimeRange, now: Date) {
  const lengthMs = to.getTime() - from.getTime();
  const isShort = lengthMs <= shortMs && from.getTime() - lengthMs >= minutesBegin(now).getTime();
  const isLong = lengthMs > longMs || from.getTime() - lengthMs < hoursBegin(now).getTime();
  const widthMs = bucketMs[isShort ? "1m" : isLong ? "1d" : "1h"];
  const first = bucketStart(from, widthMs);
  const wholeMs = Math.ceil((to.getTime() - first.getTime()) / widthMs) * widthMs;
  return {
    range: { from: first, to },
    before: { from: new Date(first.getTime() - wholeMs), to: first },
    rowsOf: (scope: NamedScope, range: TimeRange): Promise<NamedDurations[]> =>
      isShort ? minutesOfNames(database, scope, range) : durationsOfNames(database, isLong ? 1440 : 60, scope, range),
  };
}

class Durations {
  private readonly run: Histogram = new Map();
  private readonly wait: Histogram = new Map();

  add({ kind, run_histogram, wait_histogram }: StoredDurations): void {
    if (kind === waitKind) addStored(this.wait, wait_histogram);
    else addStored(this.run, run_histogram);
  }

  percentiles() {
    return { run: percentilesOf(this.run), wait: percentilesOf(this.wait) };
  }
}

function runOf(rows: readonly StoredDurations[]) {
  const run: Histogram = new Map();
  for (const { run_histogram } of rows) addStored(run, run_histogram);
  return percentilesOf(run);
}

const shares = [0.5, 0.95, 0.99] as const;

function percentilesOf(histogram: Histogram) {
  const found = quantilesOf(histogram, shares);
  if (found === null) return null;
  const [p50, p95, p99] = found.map((ms) => Number(ms.toPrecision(4))) as [number, number, number];
  return { p50, p95, p99, count: countOf(histogram) };
}
