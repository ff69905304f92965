import type { Database } from "../../platform/database/database.ts";
import { invalid } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { readRange, type TimeRange } from "../stats/index.ts";
import { type Attribute, attributesOf } from "./attributes.ts";
import { createComparison, type Difference } from "./compare-sets.ts";
import type { DifferencesQuery } from "./differences-schemas.ts";
import { scopeOf } from "./find-matches.ts";
import { type Position, type Scope, walkStep } from "./match-reads.ts";
import { failedOfFingerprint, failedOfName, sampledTasks } from "./sample-reads.ts";

type Db = Database<Tables>;

export interface DifferencesAnswer {
  /** Tasks that were compared. */
  readonly failed: number;
  readonly passed: number;
  /** Whether there were more of either. */
  readonly sampled: boolean;
  readonly attributes: Difference[];
}

export interface DifferencesRequest {
  readonly projectId: string;
  readonly query: DifferencesQuery;
  readonly now: Date;
  /** Milliseconds for finding the passed tasks. */
  readonly budgetMs?: number;
  readonly sizes?: SampleSizes;
}

export interface SampleSizes {
  /** Tasks of each set. */
  readonly most: number;
  /** Rows of one step on the way to the passed tasks. */
  readonly stepRows: number;
}

const usualSizes: SampleSizes = { most: 2000, stepRows: 2000 };
const passedBudgetMs = 200;
const dayMs = 86_400_000;
/** Tasks whose arguments are in memory together. */
const tasksPerRead = 250;
/** Newest tasks of a fingerprint that are looked at for failed ones, as a multiple of these: others have recovered. */
const rowsPerFailure = 2;
/** Of a fingerprint that several names have, those that have it most often. */
const maxNames = 5;

interface Sample {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/**
 * What the failed tasks of a name, or with a fingerprint, have in common that the passed ones of the same name do not: attributes whose
 * shares differ. Both sets are the newest in the range, and samples when there are more.
 *
 * @throws ApiError `validation_error` unless exactly one of name and fingerprint is given.
 */
export async function readDifferences(db: Db, request: DifferencesRequest): Promise<DifferencesAnswer> {
  const { projectId, query, now, budgetMs = passedBudgetMs, sizes = usualSizes } = request;
  const range = readRange(query, now) ?? { from: new Date(now.getTime() - dayMs), to: now };
  const scope = scopeOf(projectId, { since: range.from, until: range.to }, null);
  const { failed, names } = await failuresOf(db, { scope, range, asked: readSubject(query) }, sizes);
  const passed = await passesOf(db, scope, names, { sizes, budgetMs });
  const comparison = createComparison();
  await eachTask(db, failed.ids, comparison.addFailed);
  await eachTask(db, passed.ids, comparison.addPassed);
  return {
    failed: failed.ids.length,
    passed: passed.ids.length,
    sampled: failed.hasMore || passed.hasMore,
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

async function failuresOf(
  { slow, dialect }: Db,
  { scope, range, asked }: { scope: Scope; range: TimeRange; asked: Subject },
  { most }: SampleSizes,
): Promise<{ failed: Sample; names: readonly string[] }> {
  if ("name" in asked) {
    const ids = await failedOfName(slow, dialect, { scope, name: asked.name }, most + 1);
    return { failed: { ids: ids.slice(0, most), hasMore: ids.length > most }, names: [asked.name] };
  }
  const print = { projectId: scope.projectId, fingerprint: asked.fingerprint, since: range.from, until: range.to };
  const rows = most * rowsPerFailure;
  const { failed, seen } = await failedOfFingerprint(slow, print, rows);
  const some = failed.slice(0, most);
  const byName = [...Map.groupBy(some, ({ name }) => name)].sort(([, a], [, b]) => b.length - a.length);
  return {
    failed: { ids: some.map(({ id }) => id), hasMore: failed.length > most || seen === rows },
    names: byName.slice(0, maxNames).map(([name]) => name),
  };
}

/** The newest passed tasks of the names, as many of each. */
async function passesOf(
  { slow, dialect }: Db,
  scope: Scope,
  names: readonly string[],
  { sizes, budgetMs }: { sizes: SampleSizes; budgetMs: number },
): Promise<Sample> {
  const deadlineMs = performance.now() + budgetMs;
  const perName = Math.ceil(sizes.most / Math.max(1, names.length));
  const ids: string[] = [];
  let hasMore = false;
  for (const name of names) {
    const source = { column: "name", values: [name] } as const;
    const filter = { state: "success" } as const;
    let after: Position | null = null;
    let left = perName;
    do {
      const walk = { scope: { ...scope, after }, source, filter };
      const step = await walkStep(slow, dialect, walk, { rows: sizes.stepRows, limit: left + 1 });
      ids.push(...step.found.slice(0, left).map(({ id }) => id));
      hasMore ||= step.found.length > left;
      left -= Math.min(left, step.found.length);
      after = left > 0 ? step.end : null;
      hasMore ||= left === 0 && step.end !== null;
    } while (after !== null && performance.now() < deadlineMs);
    hasMore ||= after !== null;
  }
  return { ids, hasMore };
}

async function eachTask(
  { slow, dialect }: Db,
  ids: readonly string[],
  take: (attributes: readonly Attribute[]) => void,
): Promise<void> {
  for (let start = 0; start < ids.length; start += tasksPerRead) {
    const tasks = await sampledTasks(slow, dialect, ids.slice(start, start + tasksPerRead));
    for (const task of tasks) take(attributesOf(task));
  }
}
