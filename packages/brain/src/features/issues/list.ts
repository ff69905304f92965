import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import {
  countIssues,
  type FailureScope,
  type IssueCount,
  lastFailures,
  type SeenIssue,
  sampleIssues,
  type TrendBuckets,
  walkFailures,
} from "./reads.ts";

type Db = Database<Tables>;

export interface IssuePosition {
  readonly lastSeenAt: Date;
  readonly fingerprint: string;
}

export interface IssueQuery extends FailureScope {
  readonly status: "ongoing" | "recovered" | null;
  readonly trend: TrendBuckets | null;
}

export interface Issue {
  readonly fingerprint: string;
  readonly status: "ongoing" | "recovered";
  readonly occurrences: number;
  readonly open_count: number;
  readonly recovered_count: number;
  readonly is_capped: boolean;
  readonly first_seen: Date;
  readonly last_seen: Date;
  readonly engine_count: number;
  readonly engines: string[];
  readonly sample_exception: string | null;
  readonly sample_task_name: string;
  readonly trend?: number[];
}

/** Failures looked at in one step, and steps of one page: beyond them a page is short and has a cursor. */
const stepRows = 5000;
const maxSteps = 8;
/** Task rows of one issue that are counted. */
const countedRows = 10_000;
export const trendBuckets = 24;
/** Greater than every fingerprint, which are hex: a page that begins here holds all issues of that instant. */
const aboveAll = "~";

interface PageRequest {
  readonly after: IssuePosition | null;
  readonly limit: number;
  readonly stepRows?: number;
  readonly maxSteps?: number;
}

/**
 * Issues by (last seen, fingerprint), newest first (spec part 3, section 10.2). The newest failures are walked step by step, so the cost
 * of a page is given by the failures between its issues and never by the number of tasks; what is frequent is counted up to a bound.
 */
export async function listIssues(
  db: Db,
  query: IssueQuery,
  page: PageRequest,
): Promise<{ items: Issue[]; next: IssuePosition | null }> {
  const { after, limit, stepRows: rows = stepRows, maxSteps: steps = maxSteps } = page;
  const items: Issue[] = [];
  const known = new Set<string>();
  let before = after;
  for (let step = 0; step < steps; step += 1) {
    const scope = { ...query, until: earliest(query.until, before?.lastSeenAt ?? null) };
    const seen = await walkFailures(db, scope, rows);
    const isEnd = seen.reduce((sum, { count }) => sum + count, 0) < rows;
    const reached = isEnd ? null : reachedBy(seen, scope.until);
    const found = seen
      .filter(({ fingerprint }) => !known.has(fingerprint))
      .filter((issue) => isBehind(issue, before))
      // Of the last instant not all may have been seen.
      .filter(({ last_seen_at }) => reached === null || last_seen_at > reached)
      .sort(newestFirst);
    for (const { fingerprint } of found) known.add(fingerprint);
    const candidates = after === null || found.length === 0 ? found : await withoutLater(db, query, found);
    for (let start = 0; start < candidates.length; start += limit) {
      const described = await describe(db, query, candidates.slice(start, start + limit));
      for (const issue of described) {
        if (query.status !== null && issue.status !== query.status) continue;
        if (items.length === limit) return { items, next: placeOf(items.at(-1)) };
        items.push(issue);
      }
    }
    if (reached === null) return { items, next: null };
    before = { lastSeenAt: reached, fingerprint: aboveAll };
  }
  return { items, next: before };
}

const placeOf = (issue: Issue | undefined): IssuePosition | null =>
  issue === undefined ? null : { lastSeenAt: issue.last_seen, fingerprint: issue.fingerprint };

const earliest = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b < a) ? b : a);

/** The oldest instant of a step that ended before the failures did. */
function reachedBy(seen: readonly SeenIssue[], until: Date | null): Date {
  const oldest = Math.min(...seen.map(({ first_walked_at }) => first_walked_at.getTime()));
  // A step that holds a single instant would begin there again for ever.
  return new Date(until !== null && oldest >= until.getTime() ? oldest - 1 : oldest);
}

const isBehind = ({ last_seen_at, fingerprint }: SeenIssue, place: IssuePosition | null): boolean =>
  place === null ||
  last_seen_at < place.lastSeenAt ||
  (last_seen_at.getTime() === place.lastSeenAt.getTime() && fingerprint < place.fingerprint);

const newestFirst = (a: SeenIssue, b: SeenIssue): number =>
  b.last_seen_at.getTime() - a.last_seen_at.getTime() || (a.fingerprint < b.fingerprint ? 1 : -1);

/** A page that does not begin at the top meets older failures of issues that an earlier page has shown. */
async function withoutLater(db: Db, scope: FailureScope, found: readonly SeenIssue[]): Promise<readonly SeenIssue[]> {
  const last = await lastFailures(
    db,
    scope,
    found.map(({ fingerprint }) => fingerprint),
  );
  return found.filter(({ fingerprint, last_seen_at }) => last.get(fingerprint)?.getTime() === last_seen_at.getTime());
}

async function describe(db: Db, query: IssueQuery, seen: readonly SeenIssue[]): Promise<Issue[]> {
  const fingerprints = seen.map(({ fingerprint }) => fingerprint);
  const [counts, samples] = await Promise.all([
    countIssues(db, query, { fingerprints, limit: countedRows, trend: query.trend }),
    sampleIssues(db, query, fingerprints),
  ]);
  const countsOf = Map.groupBy(counts, ({ fingerprint }) => fingerprint);
  const sampleOf = new Map(samples.map((sample) => [sample.fingerprint, sample]));
  return seen.flatMap(({ fingerprint, last_seen_at }): Issue[] => {
    const own = countsOf.get(fingerprint);
    const sample = sampleOf.get(fingerprint);
    // Deleted in between.
    if (own === undefined || sample === undefined) return [];
    const open = sumOf(own.filter(({ state }) => state === "failure"));
    const occurrences = sumOf(own);
    const engines = [...new Set(own.map(({ engine }) => engine))].sort();
    return [
      {
        fingerprint,
        status: open === 0 ? "recovered" : "ongoing",
        occurrences,
        open_count: open,
        recovered_count: occurrences - open,
        is_capped: occurrences === countedRows,
        first_seen: sample.first_seen_at,
        last_seen: last_seen_at,
        engine_count: engines.length,
        engines,
        sample_exception: sample.sample_exception,
        sample_task_name: sample.sample_task_name,
        ...(query.trend !== null && { trend: trendOf(own) }),
      },
    ];
  });
}

const sumOf = (counts: readonly IssueCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

function trendOf(counts: readonly IssueCount[]): number[] {
  const trend = Array<number>(trendBuckets).fill(0);
  for (const { bucket, count } of counts) if (trend[bucket] !== undefined) trend[bucket] += count;
  return trend;
}
