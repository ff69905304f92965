import type { TimeBuckets } from "../../platform/database/dialects/expressions/time-buckets.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { splitFailure } from "./failure-text.ts";
import {
  countIssues,
  type FailureScope,
  fewIssues,
  type IssueCount,
  lastFailures,
  mostFrequent,
  type SeenIssue,
  sampleIssues,
  type WalkedIssue,
  walkFailures,
} from "./reads.ts";
import { templateOf } from "./template.ts";

export interface IssuePosition {
  readonly lastSeenAt: Date;
  readonly fingerprint: string;
}

export interface IssueSearch extends FailureScope {
  readonly status: "ongoing" | "recovered" | null;
  /** Only this issue, on any page; null for all. */
  readonly fingerprint: string | null;
  readonly trend: TimeBuckets | null;
}

export interface Issue {
  readonly fingerprint: string;
  readonly error_class: string | null;
  readonly template: string | null;
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

/** Failures scanned per step, and steps per page: when they are used up, a page is short and has a cursor. */
const stepRows = 5000;
const maxSteps = 4;
/** Projects with at most this many issues do not need the scan. */
const maxFew = 200;
/** Task rows counted for the issues described together; each issue gets a share of them, within these bounds. */
const countedTogether = 40_000;
const leastCounted = 1000;
const mostCounted = 10_000;
/** How many rows back the later failures of an issue are searched. */
const laterRows = 1000;
/** Issues described together when some will not be shown, and approximate number per page. */
const chunkIssues = 50;
const maxDescribed = 200;
/** Failures of the range that the order by occurrences is based on: if there are more, the newest. */
const rankedRows = 50_000;
export const trendBuckets = 24;
/** Greater than every fingerprint, which are hex: a page that starts here includes all issues of that instant. */
const aboveAll = "~";

/** Cost limits of a page; tests lower them. */
export interface PageCosts {
  readonly stepRows?: number;
  readonly maxSteps?: number;
  readonly maxFew?: number;
  readonly maxDescribed?: number;
  readonly rankedRows?: number;
}

interface PageRequest extends PageCosts {
  readonly after: IssuePosition | null;
  readonly limit: number;
}

interface PageBuilderOptions extends Omit<PageRequest, "after"> {
  /** Task rows counted for each issue, instead of its share. */
  readonly countedEach?: number;
}

export interface IssueList {
  readonly items: Issue[];
  readonly next: IssuePosition | null;
}

/**
 * The most frequent issues of the scope, on one page. Up to `rankedRows` failures are counted; `isExact` says whether those were all, so that
 * no other issue belongs on the page.
 */
export async function listFrequentIssues(
  db: BrainDatabase,
  query: IssueSearch,
  { rankedRows: rows = rankedRows, ...page }: Omit<PageRequest, "after">,
): Promise<{ items: Issue[]; isExact: boolean }> {
  const most = page.maxDescribed ?? maxDescribed;
  const ranked = await mostFrequent(db.slow, query, { rows, limit: most });
  const areAllCounted = (ranked[0]?.counted ?? 0) < rows;
  // Together the issues have no more rows than were counted.
  const builder = createPageBuilder(db, query, { ...page, ...(areAllCounted && { countedEach: rows }) });
  await builder.fill(ranked);
  const mayMiss = builder.items.length < page.limit && ranked.length === most;
  return { items: builder.items, isExact: areAllCounted && !mayMiss };
}

/**
 * Issues by (last seen, fingerprint), newest first. In a project with few issues each is read directly; otherwise the newest failures are scanned
 * step by step. Both are bounded, and so is the work to describe each issue: the cost of a page does not depend on the number of tasks or
 * failures.
 */
export async function listIssues(db: BrainDatabase, query: IssueSearch, page: PageRequest): Promise<IssueList> {
  const { after } = page;
  const builder = createPageBuilder(db, query, page);
  if (query.fingerprint !== null) {
    const { fingerprint } = query;
    const last = await lastFailures(db.slow, query, { fingerprints: [fingerprint], limit: laterRows });
    await builder.fill([...last.values()].map((at) => ({ fingerprint, last_seen_at: at })));
    return { items: builder.items, next: null };
  }
  const few = query.engine === null ? await fewIssues(db.slow, query, page.maxFew ?? maxFew) : null;
  if (few !== null) {
    const found = few.filter((issue) => isBehind(issue, after)).sort(newestFirst);
    return { items: builder.items, next: await builder.fill(found) };
  }
  const { stepRows: rows = stepRows, maxSteps: steps = maxSteps } = page;
  const known = new Set<string>();
  let before = after;
  for (let step = 0; step < steps; step += 1) {
    const scope = { ...query, until: earliest(query.until, before?.lastSeenAt ?? null) };
    const walked = await walkFailures(db.slow, scope, rows);
    const isEnd = walked.reduce((sum, { count }) => sum + count, 0) < rows;
    const reached = isEnd ? null : reachedBy(walked, scope.until);
    const found = walked
      .flatMap(({ fingerprint, last_seen_at: at }) => (at === null ? [] : [{ fingerprint, last_seen_at: at }]))
      .filter(({ fingerprint }) => !known.has(fingerprint))
      .filter((issue) => isBehind(issue, before))
      // Some failures of the last instant may not have been seen.
      .filter(({ last_seen_at }) => reached === null || last_seen_at > reached)
      .sort(newestFirst);
    for (const { fingerprint } of found) known.add(fingerprint);
    const stopped = await builder.fill(after === null ? found : await withoutLater(db, query, found));
    if (stopped !== null || reached === null) return { items: builder.items, next: stopped };
    before = { lastSeenAt: reached, fingerprint: aboveAll };
    if (builder.isFull()) break;
  }
  return { items: builder.items, next: before };
}

/** The issues of one page, described as they are found. */
function createPageBuilder(
  db: BrainDatabase,
  query: IssueSearch,
  { limit, maxDescribed: most = maxDescribed, countedEach }: PageBuilderOptions,
) {
  const items: Issue[] = [];
  let described = 0;
  const isFull = (): boolean => items.length === limit || described >= most;

  /** Adds issues; returns the last one that was checked when the page is full before all were added. */
  async function fill(found: readonly SeenIssue[]): Promise<IssuePosition | null> {
    let last: SeenIssue | undefined;
    for (let start = 0; start < found.length; ) {
      if (isFull() && last !== undefined) return placeOf(last);
      const wanted = limit - items.length;
      const chunk = found.slice(start, start + (query.status === null ? wanted : Math.max(wanted, chunkIssues)));
      const issues = await describe(db, query, { seen: chunk, limit: countedEach ?? shareOf(chunk.length) });
      described += chunk.length;
      start += chunk.length;
      last = chunk.at(-1);
      for (const issue of issues) {
        if (query.status !== null && issue.status !== query.status) continue;
        items.push(issue);
        if (items.length < limit) continue;
        const isLast = start >= found.length && issue.fingerprint === last?.fingerprint;
        return isLast ? null : { lastSeenAt: issue.last_seen, fingerprint: issue.fingerprint };
      }
    }
    return null;
  }

  return { items, isFull, fill };
}

const placeOf = ({ fingerprint, last_seen_at }: SeenIssue): IssuePosition => ({
  lastSeenAt: last_seen_at,
  fingerprint,
});

const earliest = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b < a) ? b : a);

/** The oldest instant of a step that ended before the failures did. */
function reachedBy(seen: readonly WalkedIssue[], until: Date | null): Date {
  const oldest = Math.min(...seen.map(({ first_walked_at }) => first_walked_at.getTime()));
  // A step with a single instant would start there again forever.
  return new Date(until !== null && oldest >= until.getTime() ? oldest - 1 : oldest);
}

const isBehind = ({ last_seen_at, fingerprint }: SeenIssue, place: IssuePosition | null): boolean =>
  place === null ||
  last_seen_at < place.lastSeenAt ||
  (last_seen_at.getTime() === place.lastSeenAt.getTime() && fingerprint < place.fingerprint);

const newestFirst = (a: SeenIssue, b: SeenIssue): number =>
  b.last_seen_at.getTime() - a.last_seen_at.getTime() || (a.fingerprint < b.fingerprint ? 1 : -1);

/** A page after the first reads older failures of issues that an earlier page has shown. */
async function withoutLater(
  db: BrainDatabase,
  scope: FailureScope,
  found: readonly SeenIssue[],
): Promise<readonly SeenIssue[]> {
  if (found.length === 0) return found;
  const fingerprints = found.map(({ fingerprint }) => fingerprint);
  const last = await lastFailures(db.slow, scope, { fingerprints, limit: laterRows });
  return found.filter(({ fingerprint, last_seen_at }) => {
    // Not found within the limit: shown twice rather than never.
    const lastMs = last.get(fingerprint)?.getTime() ?? last_seen_at.getTime();
    return lastMs === last_seen_at.getTime();
  });
}

const shareOf = (issues: number): number =>
  Math.min(mostCounted, Math.max(leastCounted, Math.floor(countedTogether / issues)));

async function describe(
  db: BrainDatabase,
  query: IssueSearch,
  { seen, limit }: { readonly seen: readonly SeenIssue[]; readonly limit: number },
): Promise<Issue[]> {
  const [counts, samples] = await Promise.all([
    countIssues(db.slow, query, { seen, limit, trend: query.trend }),
    sampleIssues(db.slow, query, seen),
  ]);
  const countsOf = Map.groupBy(counts, ({ fingerprint }) => fingerprint);
  const sampleOf = new Map(samples.map((sample) => [sample.fingerprint, sample]));
  return seen.flatMap(({ fingerprint, last_seen_at }): Issue[] => {
    const counted = countsOf.get(fingerprint) ?? [];
    const own = counted.filter(({ engine }) => query.engine === null || engine === query.engine);
    const sample = sampleOf.get(fingerprint);
    // Deleted in the meantime.
    if (own.length === 0 || sample === undefined) return [];
    const open = sumOf(own.filter(({ state }) => state === "failure"));
    const occurrences = sumOf(own);
    const engines = [...new Set(own.map(({ engine }) => engine))].sort();
    const { errorClass, message } = splitFailure(sample.sample_exception ?? "");
    return [
      {
        fingerprint,
        error_class: errorClass,
        template: templateOf(message) || null,
        status: open === 0 ? "recovered" : "ongoing",
        occurrences,
        open_count: open,
        recovered_count: occurrences - open,
        is_capped: sumOf(counted) === limit,
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
