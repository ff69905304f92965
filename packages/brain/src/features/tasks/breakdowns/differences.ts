import type { Static } from "typebox";
import { chunks } from "../../../platform/chunks.ts";
import { hours } from "../../../platform/durations.ts";
import { invalid } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { rangeOrLastDay, type TimeRange } from "../../stats/index.ts";
import { attributesOf } from "./attributes.ts";
import { createComparison, createReleaseComparison, greatest } from "./compare-sets.ts";
import {
  inTimeOrder,
  type ReadParts,
  type SampleLimits,
  sampleOf,
  shareOf,
  spread,
  type TaskSample,
} from "./sample.ts";
import { type ComparedSet, newestInParts, type SampledTask, sampledTasks } from "./sample-reads.ts";
import type { Differences, DifferencesQuery } from "./schemas.ts";

export interface DifferencesRequest {
  readonly projectId: string;
  readonly query: DifferencesQuery;
  readonly now: Date;
  /** Milliseconds. */
  readonly budgetMs?: number;
  /** Maximum number of tasks per side. */
  readonly most?: number;
}

const mostTasks = 2000;
const differencesBudgetMs = 300;
/** Tasks whose arguments are in memory together. */
const tasksPerRead = 250;
/** When several names share a fingerprint, those that have it most often. */
const maxNames = 5;
/** In a longer span an hour contributes at most 1/24 of a side. */
const freeSpanMs = hours(2);
const hourShare = 24;

/**
 * Attributes whose shares differ between failed tasks, of a name or with a fingerprint, and passed tasks of the same names in the same time
 * span. Both sides are sampled evenly over the hours of the span.
 *
 * @throws ApiError `validation_error` unless exactly one of name and fingerprint is given.
 */
export async function readDifferences(
  db: BrainDatabase,
  request: DifferencesRequest,
): Promise<Static<typeof Differences>> {
  const { projectId, query, now, budgetMs = differencesBudgetMs, most = mostTasks } = request;
  const deadlineMs = performance.now() + budgetMs;
  const span = rangeOrLastDay(query, now);
  const limits = limitsOf(span, most);
  const side = { span, ...limits };
  // A third of the time for finding each side, and the rest for reading attributes.
  const failed = await sideOf(
    db,
    { projectId, state: "failure", ...readSubject(query) },
    { ...side, deadlineMs: shareOf(deadlineMs, 3) },
  );
  const passed = await passesOf(
    db,
    { projectId, failed, name: query.name },
    { ...side, deadlineMs: shareOf(deadlineMs, 2) },
  );
  const comparison = createComparison();
  const releases = createReleaseComparison();
  const ofFailed = await eachTask(db, failed, shareOf(deadlineMs, 2), (task) => {
    comparison.addFailed(attributesOf(task));
    releases.add("failed", task);
  });
  const ofPassed = await eachTask(db, passed, deadlineMs, (task) => {
    comparison.addPassed(attributesOf(task));
    releases.add("passed", task);
  });
  const ofReleases = releases.result();
  return {
    span,
    per_hour_cap: limits.perHour,
    failed: ofFailed.count,
    passed: ofPassed.count,
    sampled: !ofFailed.isWhole || !ofPassed.isWhole,
    releases: ofReleases.releases,
    release_overlap: ofReleases.overlap,
    attributes: greatest([...comparison.differences(), ...ofReleases.differences]),
  };
}

function limitsOf({ from, to }: TimeRange, most: number): SampleLimits {
  const isFree = to.getTime() - from.getTime() <= freeSpanMs;
  return { most, perHour: isFree ? most : Math.max(1, Math.floor(most / hourShare)) };
}

function readSubject({ name, fingerprint }: DifferencesQuery): { name: string } | { fingerprint: string } {
  if (name !== undefined && fingerprint === undefined) return { name };
  if (fingerprint !== undefined && name === undefined) return { fingerprint };
  const message = "give exactly one of name and fingerprint";
  throw invalid({ loc: ["query", "name"], type: "one_of", message });
}

type SideSampling = SampleLimits & { readonly span: TimeRange; readonly deadlineMs: number };

function sideOf(db: BrainDatabase, set: ComparedSet, { span, ...limits }: SideSampling): Promise<TaskSample> {
  const read: ReadParts = (parts, limit, untilMs) =>
    newestInParts(db, set, parts, { limit, timeoutMs: untilMs - performance.now() });
  return sampleOf(read, span, limits);
}

/** Passed tasks with the names of the failed tasks, in the same proportions: otherwise the names themselves would differ. */
async function passesOf(
  db: BrainDatabase,
  { projectId, failed, name }: { projectId: string; failed: TaskSample; name: string | undefined },
  sampling: SideSampling,
): Promise<TaskSample> {
  const names = name === undefined ? namesByFrequency(failed) : [{ name, count: 1 }];
  const total = names.reduce((sum, { count }) => sum + count, 0);
  const samples: TaskSample[] = [];
  for (const [place, { name: own, count }] of names.entries()) {
    const share = (limit: number) => Math.max(1, Math.floor((limit * count) / total));
    samples.push(
      await sideOf(
        db,
        { projectId, state: "success", name: own },
        {
          span: sampling.span,
          most: share(sampling.most),
          perHour: share(sampling.perHour),
          deadlineMs: shareOf(sampling.deadlineMs, names.length - place),
        },
      ),
    );
  }
  return { tasks: samples.flatMap(({ tasks }) => tasks), isWhole: samples.every(({ isWhole }) => isWhole) };
}

function namesByFrequency({ tasks }: TaskSample): { name: string; count: number }[] {
  const byName = Map.groupBy(tasks, ({ name }) => name);
  const counts = [...byName].map(([name, { length: count }]) => ({ name, count }));
  return counts.sort((a, b) => b.count - a.count).slice(0, maxNames);
}

/** Reads tasks across the whole sample until the deadline, at least some. */
async function eachTask(
  db: BrainDatabase,
  { tasks, isWhole }: TaskSample,
  deadlineMs: number,
  take: (task: SampledTask) => void,
): Promise<{ count: number; isWhole: boolean }> {
  const ids = spread(inTimeOrder(tasks)).map(({ id }) => id);
  let count = 0;
  for (const some of chunks(ids, tasksPerRead)) {
    if (count > 0 && performance.now() >= deadlineMs) return { count, isWhole: false };
    const found = await sampledTasks(db, some);
    for (const task of found) take(task);
    count += found.length;
  }
  return { count, isWhole };
}
