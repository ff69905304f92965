import { finishedKinds, stateOfKind, type TaskKind, type TaskState } from "@svc/protocol";
import { days, hours, minutes } from "../../../platform/durations.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import {
  bucketStart,
  minutesBegin,
  projectTotals,
  rangeOrLastDay,
  rollupTotals,
  type TimeRange,
} from "../../stats/index.ts";
import { planList } from "../list.ts";
import type { QueryPlan } from "../query/query.ts";
import { type CountSizes, countGroups } from "./count-groups.ts";
import type { TaskHistogramQuery } from "./schemas.ts";

export interface HistogramRequest {
  readonly projectId: string;
  readonly query: TaskHistogramQuery;
  readonly now: Date;
  /** Milliseconds. */
  readonly budgetMs?: number;
  readonly sizes?: CountSizes;
}

interface Bucket {
  readonly t: Date;
  success: number;
  failure: number;
  other: number;
}

const minuteMs = minutes(1);
const hourMs = hours(1);
const dayMs = days(1);
/** Time for the histogram above a list. */
const histogramBudgetMs = 200;
const defaultBuckets = 60;

/** Kinds in the counters; `stateOfKind` maps each to the resulting state. */
const countedKinds = [...finishedKinds, "task.retried"] as const;

/** States that a task leaves when it is retried: the counters still include its event, but the list no longer shows the task in this state. */
const leftStates: ReadonlySet<TaskState> = new Set(["failure", "retry"]);

/**
 * Tasks of the list over time. Uses the counters when they cover every filter (a final state, a queue): these count finished and retried
 * tasks by event time, at a cost independent of the number of tasks. Otherwise counts the tasks themselves by received time, newest first,
 * until the time limit.
 */
export async function readHistogram(db: BrainDatabase, request: HistogramRequest) {
  const { projectId, query, now, budgetMs = histogramBudgetMs, sizes } = request;
  const deadlineMs = performance.now() + budgetMs;
  const range = rangeOrLastDay(query, now);
  const grainMs = range.from < minutesBegin(now) ? hourMs : minuteMs;
  const { from, widthMs, count } = partsOf(range, query.buckets ?? defaultBuckets, grainMs);
  const buckets = Array.from(
    { length: count },
    (_, index): Bucket => ({ t: new Date(from.getTime() + index * widthMs), success: 0, failure: 0, other: 0 }),
  );
  // The whole first bucket, unless the query restricts the time.
  const { since: _since, until: _until, ...shown } = query;
  const plan = await planList(db, projectId, { query: shown, now });
  const { since: ownSince, until: ownUntil } = plan.filter;
  const filter = { ...plan.filter, since: later(ownSince, from), until: earlier(ownUntil, range.to) };
  const answer = { from, to: range.to, bucket_seconds: widthMs / 1000, buckets };

  const kinds = kindsFor(plan);
  if (kinds !== null) {
    const counted = { from, to: range.to };
    const counts =
      filter.queue === undefined
        ? await projectTotals(db, { projectId, kinds }, counted, { widthMs, now })
        : await rollupTotals(db, { projectId, kinds, queue: filter.queue }, counted);
    for (const { bucket_at, kind, count: more } of counts) {
      const bucket = buckets[Math.floor((bucket_at.getTime() - from.getTime()) / widthMs)];
      if (bucket !== undefined) bucket[partOf(stateOfKind[kind as TaskKind])] += more;
    }
    return { ...answer, exact: true, reached: null, counted: "events" as const };
  }

  const { groups, reached } = await countGroups(db, {
    projectId,
    filter,
    content: plan.content,
    key: { fromMs: from.getTime(), widthMs },
    budgetMs: deadlineMs - performance.now(),
    ...(sizes !== undefined && { sizes }),
  });
  for (const { value, count: more } of groups) {
    const [index = "", state = ""] = value?.split(":") ?? [];
    // The end of the range is included, even where no bucket starts there.
    const bucket = buckets[Math.min(Number(index), buckets.length - 1)];
    if (bucket !== undefined) bucket[partOf(state)] += more;
  }
  return { ...answer, exact: reached === null, reached: reached?.receivedAt ?? null, counted: "tasks" as const };
}

const partOf = (state: string): "success" | "failure" | "other" =>
  state === "success" || state === "failure" ? state : "other";

/** The kinds that correspond to the filter in the counters; null when the counters do not cover one of its conditions. */
function kindsFor({ filter: { state, queue: _, ...others }, content }: QueryPlan): readonly string[] | null {
  if (content.length > 0 || Object.keys(others).length > 0) return null;
  if (state === undefined) return countedKinds;
  if (leftStates.has(state)) return null;
  const kinds = countedKinds.filter((kind) => (stateOfKind[kind] satisfies TaskState) === state);
  return kinds.length === 0 ? null : kinds;
}

const later = (own: Date | undefined, from: Date): Date => (own !== undefined && own > from ? own : from);
const earlier = (own: Date | undefined, to: Date): Date => (own !== undefined && own < to ? own : to);

const niceWidthsMs = [
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * hourMs),
  ...[1, 2, 5, 10, 30].map((days) => days * dayMs),
];

/**
 * Splits a range into at most `most` buckets, each a whole number of grains, the resolution of the counters. They start at multiples of a
 * round width when enough buckets remain, so that they do not shift while the range moves.
 */
export function partsOf(range: TimeRange, most: number, grainMs: number) {
  const countOf = (from: Date, widthMs: number) =>
    Math.max(1, Math.ceil((range.to.getTime() - from.getTime()) / widthMs));
  const roundMs = niceWidthsMs.find(
    (widthMs) => widthMs >= grainMs && countOf(bucketStart(range.from, widthMs), widthMs) <= most,
  );
  if (roundMs !== undefined) {
    const from = bucketStart(range.from, roundMs);
    return { from, widthMs: roundMs, count: countOf(from, roundMs) };
  }
  const from = bucketStart(range.from, grainMs);
  const widthMs = Math.ceil(countOf(from, grainMs) / most) * grainMs;
  return { from, widthMs, count: countOf(from, widthMs) };
}
