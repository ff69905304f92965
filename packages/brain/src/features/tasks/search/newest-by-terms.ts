import { chunks } from "../../../platform/chunks.ts";
import { matchesParts } from "../../../platform/database/values/json-content.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { ColumnTerm, ListFilter } from "../query/query.ts";
import { searchesOf } from "./database-searches.ts";
import { textAfter } from "./distinct-values-reads.ts";
import { enginesOf, type IdRange, newestOfFingerprints, newestOfIds } from "./lookup-reads.ts";
import { countSource, type ListScope, matchesAmong, type TaskPosition, type TaskSource } from "./match-reads.ts";
import type { Pace } from "./step-pace.ts";
import { indexedSources } from "./term-sources.ts";

type LabelTerm = Extract<ColumnTerm, { kind: "label" }>;

const isLabel = (term: ColumnTerm): term is LabelTerm => term.kind === "label" && !term.isNegated;

const indexedLabels = ["name", "queue", "worker"] as const;

/** The filter with the stored values that match its patterns, unless there are too many. Resolve once per search. */
export async function resolveTerms(
  db: BrainDatabase,
  projectId: string,
  filter: ListFilter,
  maxValues = 2000,
): Promise<ListFilter> {
  if (filter.terms === undefined) return filter;
  const terms = await Promise.all(
    filter.terms.map(async (term): Promise<ColumnTerm> => {
      if (!isLabel(term)) return term;
      const values = await storedValues(db, projectId, term, maxValues);
      return values === null ? term : { ...term, values };
    }),
  );
  return { ...filter, terms };
}

const fits = (value: string, { tests }: LabelTerm): boolean =>
  tests.some((test) => (test.kind === "is" ? value === test.text : matchesParts(value, test.parts)));

async function storedValues(
  db: BrainDatabase,
  projectId: string,
  term: LabelTerm,
  maxValues: number,
): Promise<readonly string[] | null> {
  if (term.field === "engine")
    return (await enginesOf(db.slow, projectId))?.filter((engine) => fits(engine, term)) ?? null;
  if (term.values !== undefined) return term.values;
  const field = indexedLabels.find((name) => name === term.field);
  if (field === undefined) return null;
  const { valuesWith } = searchesOf(db);
  const all = new Set<string>();
  for (const test of term.tests) {
    if (test.kind === "is") {
      all.add(test.text);
      continue;
    }
    const needle = longest(test.parts);
    const found = await valuesWith(
      db.slow,
      projectId,
      { field, needle, isFolded: false, prefix: test.parts[0] ?? "" },
      maxValues + 1,
    );
    if (found === null || found.length > maxValues) return null;
    for (const value of found) if (matchesParts(value, test.parts)) all.add(value);
  }
  return all.size > maxValues ? null : [...all];
}

const longest = (parts: readonly string[]): string =>
  parts.reduce((best, part) => (part.length > best.length ? part : best), "");

/**
 * The newest matches of a filter by the terms of its query: by fingerprints, by task ids and engines, or by the shortest list of values.
 * Null when each of these would read too many rows; then a walk finds the frequent ones.
 */
export async function newestByTerms(
  db: BrainDatabase,
  scope: ListScope,
  filter: ListFilter,
  { limit, cap, pace }: { limit: number; cap: number; pace: Pick<Pace, "leftMs"> },
): Promise<TaskPosition[] | null> {
  if (filter.terms === undefined) return null;
  const byFailure = await newestByFailure(db, scope, filter, { limit, cap });
  if (byFailure !== null) return byFailure;
  const byId = await newestByIds(db, scope, filter, { limit, cap });
  if (byId !== null) return byId;
  for (const source of indexedSources(filter)) {
    if (source.column === "error" || source.values.length < 2) continue;
    const isShort = (await countRowsOf(db, scope, source, cap)) < cap;
    if (isShort) return matchesAmong(db, { scope, source, filter }, { limit, timeoutMs: pace.leftMs() });
  }
  return null;
}

const valuesPerCount = 100;

/** The number of rows of a source with any number of values, counted to slightly above `cap`. */
export async function countRowsOf(
  { slow }: BrainDatabase,
  scope: ListScope,
  source: NonNullable<TaskSource>,
  cap: number,
): Promise<number> {
  let rows = 0;
  for (const values of chunks(source.values, valuesPerCount)) {
    if (rows >= cap) break;
    rows += await countSource(slow, scope, { ...source, values }, cap);
  }
  return rows;
}

async function newestByFailure(
  db: BrainDatabase,
  scope: ListScope,
  filter: ListFilter,
  bounds: { limit: number; cap: number },
): Promise<TaskPosition[] | null> {
  const fingerprints = filter.terms?.filter(isLabel).find(({ field }) => field === "fingerprint")?.values;
  if (fingerprints === undefined) return null;
  return newestOfFingerprints(db.slow, { scope, filter, fingerprints }, bounds);
}

async function newestByIds(
  db: BrainDatabase,
  scope: ListScope,
  filter: ListFilter,
  bounds: { limit: number; cap: number },
): Promise<TaskPosition[] | null> {
  const labels = (filter.terms ?? []).filter(isLabel);
  const ofEngine = labels.find(({ field }) => field === "engine");
  const ranges = labels
    .filter(({ field }) => field === "id")
    .map(rangesOf)
    .find((found) => found !== null);
  if (ofEngine?.values === undefined && ranges == null) return null;
  const engines = ofEngine?.values ?? (await enginesOf(db.slow, scope.projectId));
  if (engines === null) return null;
  const lookup = { scope, filter, engines, ranges: ranges ?? [{ from: null, below: null }] };
  return newestOfIds(db.slow, lookup, bounds);
}

/** The id ranges that can match a term; null when they are unbounded. */
function rangesOf({ tests }: LabelTerm): IdRange[] | null {
  const ranges: IdRange[] = [];
  for (const test of tests) {
    const from = test.kind === "is" ? test.text : (test.parts[0] ?? "");
    if (test.kind === "like" && from === "") return null;
    // No stored text contains U+0000, so nothing lies between a text and the same text with U+0000 appended.
    ranges.push({ from, below: test.kind === "is" ? `${from}\u0001` : textAfter(from) });
  }
  return ranges;
}
