import { cutCharacters } from "@svc/protocol";
import { days, hours } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { bucketStart, hoursBegin, minutesBegin } from "./counters/buckets.ts";
import { nameCharacters } from "./counters/deltas.ts";
import { addStored, countOf, type Histogram, quantilesOf } from "./counters/histogram.ts";
import {
  type BucketDurations,
  type DurationScope,
  durationsByName,
  durationsOfNames,
  longestNames,
  type NamedDurations,
  type NamesRange,
  rollupDurations,
  type StoredDurations,
} from "./latency-reads.ts";
import type { LatencyNamesQuery, LatencyQuery } from "./schemas.ts";
import { type BucketPlan, bucketMs, planBuckets, rangeOrLastDay, type TimeRange, widthFor } from "./time-range.ts";

/** Events with a run time; those of task.started have the wait time. */
const runKinds = ["task.succeeded", "task.failed", "task.retried"];
const waitKind = "task.started";
/** Ranges up to this are compared by the minute. */
const shortMs = hours(1);
/** Ranges beyond this are compared by the day. */
const longMs = days(3);
/** Additional names, beyond the requested number, whose run times are read. */
const spareNames = 16;

interface Request<Query> {
  readonly projectId: string;
  readonly query: Query;
  readonly now: Date;
}

/** Percentiles of run and wait times by UTC bucket; a bucket without values has null, never 0. */
export async function readLatency(database: BrainDatabase, { projectId, query, now }: Request<LatencyQuery>) {
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
    cells[row.bucket]?.add(row);
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

/** Percentiles of the run times of a name in the last UTC days, including the current one; null without a run. */
export async function runTimesOf(
  database: BrainDatabase,
  { projectId, name, days, now }: { projectId: string; name: string; days: number; now: Date },
) {
  const scope = { projectId, kinds: runKinds, name: cutCharacters(name, nameCharacters) };
  const from = new Date(bucketStart(now, bucketMs["1d"]).getTime() - (days - 1) * bucketMs["1d"]);
  const run: Histogram = new Map();
  for (const { run_histogram } of await durationsByName(database.slow, 1440, scope, { from, to: now })) {
    addStored(run, run_histogram);
  }
  return percentilesOf(run);
}

/** Figures by name are cheaper when they go back far enough and no queue is requested. */
async function durationsOf(
  database: BrainDatabase,
  scope: DurationScope,
  { plan, now }: { plan: BucketPlan; now: Date },
): Promise<BucketDurations[]> {
  const { bucket, from, to, widthMs } = plan;
  const byName = async (grainMinutes: number) =>
    (await durationsByName(database.slow, grainMinutes, scope, { from, to })).map((row) => ({
      ...row,
      bucket: Math.floor((row.bucket_at.getTime() - from.getTime()) / widthMs),
    }));
  if (scope.queue === undefined) {
    if (bucket === "1d") return byName(1440);
    if (bucket === "1h" && from >= hoursBegin(now)) return byName(60);
    if (bucket === "15m" && scope.name === undefined) return byName(15);
  }
  return rollupDurations(database.slow, scope, { from, to, widthMs });
}

/**
 * The names with the longest runs in a range, by p95, each with its run times in the preceding range of the same length. Histograms are read
 * only for the names with the longest average: all names of a busy project would need tens of thousands.
 */
export async function readSlowestNames(database: BrainDatabase, { projectId, query, now }: Request<LatencyNamesQuery>) {
  const limit = query.limit ?? 8;
  const { range, before, cover } = comparedRanges(rangeOrLastDay(query, now), now);
  const scope = { projectId, kinds: runKinds };
  const names = await longestNames(database.slow, scope, { ...cover, limit: limit + spareNames });
  const rows = await durationsOfNames(database.slow, { ...scope, names }, range);
  const slowest = [...Map.groupBy(rows, ({ name }) => name)]
    .flatMap(([name, own]) => {
      const run = runOf(own);
      const failed = own.reduce((sum, { kind, count }) => (kind === "task.failed" ? sum + count : sum), 0);
      return run === null ? [] : [{ name, run, failed }];
    })
    .sort((a, b) => b.run.p95 - a.run.p95 || (a.name < b.name ? -1 : 1))
    .slice(0, limit);
  const earlier = await durationsOfNames(database.slow, { ...scope, names: slowest.map(({ name }) => name) }, before);
  const earlierByName = Map.groupBy(earlier, ({ name }) => name);
  const items = slowest.map((item) => ({ ...item, previous: runOf(earlierByName.get(item.name) ?? []) }));
  return { since: range.from, until: range.to, previous_since: before.from, items };
}

/**
 * The two ranges that are compared, which never share a bucket: by the minute up to one hour, by whole hours up to three days, otherwise by
 * whole days; the last bucket is the current one. `cover` is the range again in fewer buckets.
 */
function comparedRanges({ from, to }: TimeRange, now: Date) {
  const lengthMs = to.getTime() - from.getTime();
  const ranges = (grainMinutes: number, coverMinutes: number) => {
    const widthMs = grainMinutes * bucketMs["1m"];
    const first = bucketStart(from, widthMs);
    const wholeMs = Math.ceil((to.getTime() - first.getTime()) / widthMs) * widthMs;
    const coverFrom = bucketStart(from, coverMinutes * bucketMs["1m"]);
    return {
      range: { grainMinutes, from: first, to } satisfies NamesRange,
      before: { grainMinutes, from: new Date(first.getTime() - wholeMs), to: first } satisfies NamesRange,
      cover: { grainMinutes: coverMinutes, from: coverFrom, to } satisfies NamesRange,
    };
  };
  const byMinute = ranges(1, 60);
  if (lengthMs <= shortMs && byMinute.before.from >= minutesBegin(now)) return byMinute;
  const byHour = ranges(60, 1440);
  return lengthMs <= longMs && byHour.before.from >= hoursBegin(now) ? byHour : ranges(1440, 1440);
}

class Durations {
  private readonly run: Histogram = new Map();
  private readonly wait: Histogram = new Map();

  add({
    kind,
    run_histogram,
    wait_histogram,
  }: Pick<StoredDurations, "kind" | "run_histogram" | "wait_histogram">): void {
    if (kind === waitKind) addStored(this.wait, wait_histogram);
    else addStored(this.run, run_histogram);
  }

  percentiles() {
    return { run: percentilesOf(this.run), wait: percentilesOf(this.wait) };
  }
}

function runOf(rows: readonly NamedDurations[]) {
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
