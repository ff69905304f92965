import { priorities, taskStates } from "@svc/protocol";
import type { Static } from "typebox";
import { chunks } from "../../../platform/chunks.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { taskCounts } from "../../stats/index.ts";
import { planList } from "../list.ts";
import type { ContentTerm, ListFilter } from "../query/query.ts";
import type { ValueColumn } from "../search/distinct-values-reads.ts";
import { scopeOf } from "../search/find-matches.ts";
import type { StepClock } from "../search/step-pace.ts";
import { isOnlyTimed } from "../search/term-sources.ts";
import { type CountSizes, countGroups } from "./count-groups.ts";
import { countEachValue, groupStep, type ValueGroup, valuesFrom } from "./group-reads.ts";
import { countPaths } from "./payload-paths/count-paths.ts";
import type { ColumnField, Facet, FacetField, FacetQuery } from "./schemas.ts";

/**
 * Counts the values of one field among the tasks that a list shows. Conditions on the field itself, from a parameter or the query, are
 * ignored, so that a selected state does not make the others look empty. Without other filters the counts come from counters, or from the
 * index of the field, value by value. Otherwise the list is walked, newest first, until the time limit. For args, kwargs and result, it
 * counts the paths in the payloads of the newest tasks.
 */
type FacetValue = Static<typeof Facet>["values"][number];

export interface FacetRequest {
  readonly projectId: string;
  readonly query: FacetQuery;
  /** The time from which ages in a query are measured. */
  readonly now?: Date;
  /** Milliseconds. */
  readonly budgetMs?: number;
  readonly sizes?: FacetSizes;
  readonly clock?: StepClock;
}

export interface FacetSizes extends CountSizes {
  /** Counts stop here. */
  readonly cap: number;
  /** Maximum number of distinct values that are counted one by one. */
  readonly maxValues: number;
  /** Values that one statement counts; with the cap this bounds its duration. */
  readonly valuesPerCount: number;
  /** Newest tasks that decide which of many values to count first. */
  readonly sampleRows: number;
}

const usualFacetSizes: FacetSizes = {
  cap: 10_000,
  maxValues: 1000,
  valuesPerCount: 10,
  sampleRows: 500,
  stepRows: [100, 2000],
  fewMatches: 1000,
};

/** Time for one facet, because a menu waits for it. */
const facetBudgetMs = 200;
const defaultLimit = 20;

const columnOf: Record<ColumnField, ValueColumn> = {
  state: "state",
  priority: "priority",
  name: "name",
  queue: "queue",
  worker: "worker_name",
  engine: "engine",
};

export async function readFacet(
  db: BrainDatabase,
  request: FacetRequest,
): Promise<{ field: FacetField; values: FacetValue[] }> {
  const {
    projectId,
    query,
    now = new Date(),
    budgetMs = facetBudgetMs,
    sizes = usualFacetSizes,
    clock = systemClock,
  } = request;
  const { field, prefix = "", limit = defaultLimit, ...shown } = query;
  const deadlineMs = clock.monotonicMs() + budgetMs;
  const leftMs = () => deadlineMs - clock.monotonicMs();
  const aside = isColumnField(field) ? field : undefined;
  const { filter, content } = await planList(db, projectId, { query: shown, now, ...(aside && { aside }) });
  const values = isColumnField(field)
    ? await valuesOf(db, { projectId, field, prefix, filter, content, leftMs, sizes, clock })
    : await countPaths(db, { projectId, field, filter, content, budgetMs: leftMs(), clock });
  return {
    field,
    values: values
      .filter(({ value, count }) => count > 0 && value.startsWith(prefix))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, limit),
  };
}

const isColumnField = (field: FacetField): field is ColumnField => Object.hasOwn(columnOf, field);

interface FacetScan {
  readonly projectId: string;
  readonly field: ColumnField;
  readonly prefix: string;
  readonly filter: ListFilter;
  readonly content: readonly ContentTerm[];
  readonly leftMs: () => number;
  readonly sizes: FacetSizes;
  readonly clock: StepClock;
}

async function valuesOf(db: BrainDatabase, scan: FacetScan): Promise<FacetValue[]> {
  const { projectId, field, filter, content, leftMs, sizes, clock } = scan;
  const isFree = isOnlyTimed({ filter, content });
  const isTimed = filter.since !== undefined || filter.until !== undefined;
  if (isFree && !isTimed && field === "state") {
    const counts = Object.entries(await taskCounts(db, projectId));
    return counts.map(([value, count]) => ({ value, count, exact: true }));
  }
  // The index of engines does not include the time.
  if (isFree && !(isTimed && field === "engine")) return countByIndex(db, scan);
  const { groups, reached } = await countGroups(db, {
    projectId,
    filter,
    content,
    key: columnOf[field],
    budgetMs: leftMs(),
    sizes,
    clock,
  });
  return facetOf(groups, reached === null, sizes);
}

/** Counts value by value. A field with many values starts with those that the newest tasks have most often. */
async function countByIndex(db: BrainDatabase, scan: FacetScan): Promise<FacetValue[]> {
  const { projectId, field, filter, sizes } = scan;
  const column = columnOf[field];
  const known = await knownValues(db, scan);
  let sampled = known === null || known.length > sizes.valuesPerCount ? await sampleValues(db, scan) : null;
  const values = [...new Set([...valuesByCount(sampled), ...(known ?? [])])];
  const scope = scopeOf(projectId, filter, null);
  const found: FacetValue[] = [];
  const uncounted: string[] = [];
  let isOver = false;
  for (const some of chunks(values, sizes.valuesPerCount)) {
    const timeoutMs = scan.leftMs();
    isOver ||= timeoutMs <= 0;
    const limits = { cap: sizes.cap + 1, timeoutMs };
    const counts: Map<string, number> | null = isOver
      ? null
      : await countEachValue(db, scope, { column, values: some }, limits);
    isOver ||= counts === null;
    if (counts === null) uncounted.push(...some);
    else found.push(...some.map((value) => capped(value, counts.get(value) ?? 0, sizes)));
  }
  if (uncounted.length > 0) sampled ??= await sampleValues(db, scan);
  // A stored value has at least one task; whether one lies in the requested time range is unknown.
  const isTimed = scope.since !== null || scope.until !== null;
  const least = isTimed || isListed(field) ? 0 : 1;
  return [...found, ...uncounted.map((value) => ({ value, count: sampled?.get(value) ?? least, exact: false }))];
}

const valuesByCount = (sampled: ReadonlyMap<string, number> | null): string[] =>
  [...(sampled ?? [])].sort(([, a], [, b]) => b - a).map(([value]) => value);

/** Whether all possible values are known in code. */
const isListed = (field: ColumnField): field is "state" | "priority" => field === "state" || field === "priority";

/** Null when the time limit was reached. */
async function knownValues(
  db: BrainDatabase,
  { projectId, field, prefix, leftMs, sizes }: FacetScan,
): Promise<readonly string[] | null> {
  if (isListed(field)) {
    const all: readonly string[] = field === "state" ? taskStates : priorities;
    return all.filter((value) => value.startsWith(prefix));
  }
  const limits = { limit: sizes.maxValues, timeoutMs: Math.max(1, leftMs()) };
  return valuesFrom(db, projectId, { column: columnOf[field], prefix }, limits);
}

/** Values of the newest tasks with the prefix, and how many of these tasks have each. */
async function sampleValues(
  db: BrainDatabase,
  { projectId, field, prefix, filter, sizes }: FacetScan,
): Promise<Map<string, number>> {
  const walk = { scope: scopeOf(projectId, filter, null), source: null, filter };
  const { groups } = await groupStep(db, { walk, key: columnOf[field] }, sizes.sampleRows);
  return new Map(
    groups.flatMap(({ value, count }) => (value?.startsWith(prefix) === true ? [[value, count] as const] : [])),
  );
}

const facetOf = (groups: readonly ValueGroup[], isWhole: boolean, sizes: FacetSizes): FacetValue[] =>
  groups.flatMap(({ value, count }) => {
    if (value === null) return [];
    const { exact, ...rest } = capped(value, count, sizes);
    return [{ ...rest, exact: exact && isWhole }];
  });

const capped = (value: string, count: number, { cap }: FacetSizes): FacetValue => ({
  value,
  count: Math.min(count, cap),
  exact: count <= cap,
});
