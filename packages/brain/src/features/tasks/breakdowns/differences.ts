import type { Static } from "typebox";
import { chunks } from "../../../platform/chunks.ts";
import { invalid } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { rangeOrLastDay, type TimeRange } from "../../stats/index.ts";
import { scopeOf } from "../search/find-matches.ts";
import { type TaskPosition, walkStep } from "../search/match-reads.ts";
import { type Attribute, attributesOf } from "./attributes.ts";
import { createComparison } from "./compare-sets.ts";
import { type Newest, sampleOf, shareOf, spread, type TaskSample, weightsOf } from "./sample.ts";
import { failedOfFingerprint, failedOfName, sampledTasks } from "./sample-reads.ts";
import type { Differences, DifferencesQuery } from "./schemas.ts";

export interface DifferencesRequest {
  readonly projectId: string;
  readonly query: DifferencesQuery;
  readonly now: Date;
  /** Milliseconds. */
  readonly budgetMs?: number;
  readonly sizes?: SampleSizes;
}

export interface SampleSizes {
  /** Tasks of each set. */
  readonly most: number;
  /** Rows of one step on the way to the passed tasks. */
  readonly stepRows: number;
}

const usualSampleSizes: SampleSizes = { most: 2000, stepRows: 2000 };
const differencesBudgetMs = 300;
/** Tasks whose arguments are in memory together. */
const tasksPerRead = 250;
/** Newest tasks of a fingerprint that are looked at for failed ones, as a multiple of these: others have recovered. */
const rowsPerFailure = 2;
/** Tasks of a name that are looked at for one that has passed, at first. */
const rowsPerPass = 4;
/** Of a fingerprint that several names have, those that have it most often. */
const maxNames = 5;

/**
 * What the failed tasks of a name, or with a fingerprint, have in common that the passed ones of the same name do not: attributes whose
 * shares differ. Both sets are samples over the whole range when they are large.
 *
 * @throws ApiError `validation_error` unless exactly one of name and fingerprint is given.
 */
export async function readDifferences(
  db: BrainDatabase,
  request: DifferencesRequest,
): Promise<Static<typeof Differences>> {
  const { projectId, query, now, budgetMs = differencesBudgetMs, sizes = usualSampleSizes } = request;
  const deadlineMs = performance.now() + budgetMs;
  const range = rangeOrLastDay(query, now);
  const sampling: Sampling = { projectId, range, now, sizes };
  // A third of the time for each set, and the rest for looking at them.
  const { failed, names } = await failuresOf(
    db,
    { ...sampling, deadlineMs: shareOf(deadlineMs, 3) },
    readSubject(query),
  );
  const passed = await passesOf(db, { ...sampling, deadlineMs: shareOf(deadlineMs, 2) }, names);
  const comparison = createComparison();
  const ofFailed = await eachTask(db, failed, shareOf(deadlineMs, 2), comparison.addFailed);
  const ofPassed = await eachTask(db, passed, deadlineMs, comparison.addPassed);
  return {
    failed: ofFailed.count,
    passed: ofPassed.count,
    sampled: !ofFailed.isWhole || !ofPassed.isWhole,
    attributes: comparison.differences(),
  };
}

type Subject = { readonly name: string } | { readonly fingerprint: string };

function readSubject({ name, fingerprint }: DifferencesQuery): Subject {
  if (name !== undefined && fingerprint === undefined) return { name };
  if (fingerprint !== undefined && name === undefined) return { fingerprint };
  const message = "exactly one of name and fingerprint says which tasks are compared";
  throw invalid({ loc: ["query", "name"], type: "one_of", message });
}

interface Sampling {
  readonly projectId: string;
  readonly range: TimeRange;
  readonly now: Date;
  readonly sizes: SampleSizes;
}
type TimedSampling = Sampling & { readonly deadlineMs: number };

/** The failed tasks, and the names whose passed ones they are compared with, the most frequent first. */
async function failuresOf(
  db: BrainDatabase,
  { projectId, range, now, sizes, deadlineMs }: TimedSampling,
  asked: Subject,
): Promise<{ failed: TaskSample; names: readonly string[] }> {
  const namesById = new Map<string, string>();

  async function ofName(name: string, { from, to }: TimeRange, limit: number, timeoutMs: number): Promise<TaskSample> {
    const scope = scopeOf(projectId, { since: from, until: to }, null);
    const ids = await failedOfName(db, { scope, name }, { rows: limit + 1, timeoutMs });
    if (ids === null) return { ids: [], hasMore: true };
    for (const id of ids) namesById.set(id, name);
    return { ids: ids.slice(0, limit), hasMore: ids.length > limit };
  }

  async function ofFingerprint(
    fingerprint: string,
    { from, to }: TimeRange,
    limit: number,
    timeoutMs: number,
  ): Promise<TaskSample> {
    const rows = (limit + 1) * rowsPerFailure;
    const part = { projectId, fingerprint, since: from, until: to };
    const found = await failedOfFingerprint(db, part, { rows, timeoutMs });
    if (found === null) return { ids: [], hasMore: true };
    const { failed, seen } = found;
    for (const { id, name } of failed) namesById.set(id, name);
    const ids = failed.slice(0, limit).map(({ id }) => id);
    return { ids, hasMore: failed.length > limit || seen === rows };
  }

  function namesByFrequency(): string[] {
    const counts = new Map<string, number>();
    for (const name of namesById.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  }

  const newest: Newest = (part, limit, untilMs) => {
    const timeoutMs = untilMs - performance.now();
    return "name" in asked
      ? ofName(asked.name, part, limit, timeoutMs)
      : ofFingerprint(asked.fingerprint, part, limit, timeoutMs);
  };
  const failed = await sampleOf(newest, range, {
    most: sizes.most,
    deadlineMs,
    weights: () => weightsOf(db, { projectId, name: namesByFrequency()[0] ?? "", kind: "task.failed" }, range, now),
  });
  return { failed, names: "name" in asked ? [asked.name] : namesByFrequency().slice(0, maxNames) };
}

/** Passed tasks of the names, as many of each. */
async function passesOf(db: BrainDatabase, sampling: TimedSampling, names: readonly string[]): Promise<TaskSample> {
  const { projectId, range, now, sizes, deadlineMs } = sampling;
  const most = Math.ceil(sizes.most / Math.max(1, names.length));
  const samples: TaskSample[] = [];
  for (const [place, name] of names.entries()) {
    samples.push(
      await sampleOf(passedOfName(db, { projectId, name, stepRows: sizes.stepRows }), range, {
        most,
        deadlineMs: shareOf(deadlineMs, names.length - place),
        weights: () => weightsOf(db, { projectId, name, kind: "task.succeeded" }, range, now),
      }),
    );
  }
  return { ids: samples.flatMap(({ ids }) => ids), hasMore: samples.some(({ hasMore }) => hasMore) };
}

/** Walks the tasks of a name: most of them pass as a rule. */
function passedOfName(
  { slow }: BrainDatabase,
  { projectId, name, stepRows }: { projectId: string; name: string; stepRows: number },
): Newest {
  return async ({ from, to }, limit, deadlineMs) => {
    const filter = { state: "success", since: from, until: to } as const;
    const source = { column: "name", values: [name] } as const;
    const ids: string[] = [];
    let after: TaskPosition | null = null;
    for (;;) {
      const walk = { scope: scopeOf(projectId, filter, after), source, filter };
      const missing = limit + 1 - ids.length;
      const rows = Math.min(stepRows, missing * rowsPerPass);
      const { found, end } = await walkStep(slow, walk, { rows, limit: missing });
      ids.push(...found.map(({ id }) => id));
      if (ids.length > limit) return { ids: ids.slice(0, limit), hasMore: true };
      if (end === null) return { ids, hasMore: false };
      if (performance.now() >= deadlineMs) return { ids, hasMore: true };
      after = end;
    }
  };
}

/** Looks at tasks all over a sample until the deadline, at some of them in any case; gives how many, and whether these were all. */
async function eachTask(
  db: BrainDatabase,
  sample: TaskSample,
  deadlineMs: number,
  take: (attributes: readonly Attribute[]) => void,
): Promise<{ count: number; isWhole: boolean }> {
  const ids = spread(sample.ids);
  let count = 0;
  for (const some of chunks(ids, tasksPerRead)) {
    if (count > 0 && performance.now() >= deadlineMs) return { count, isWhole: false };
    const tasks = await sampledTasks(db, some);
    for (const task of tasks) take(attributesOf(task));
    count += tasks.length;
  }
  return { count, isWhole: !sample.hasMore };
}
