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
  /** This issue alone, whatever the page; null for all. */
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

/** Failures looked at in one step, and steps of one page: beyond them a page is short and has a cursor. */
const stepRows = 5000;
const maxSteps = 4;
/** Projects with at most so many issues need no such walk. */
const maxFew = 200;
/** Task rows that are counted for the issues described at a time; each has its share of them, within these bounds. */
const countedTogether = 40_000;
const leastCounted = 1000;
const mostCounted = 10_000;
/** How far back the later failures of an issue are looked for, in rows. */
const laterRows = 1000;
/** Issues described at a time where some will not be shown, and those of one page, about. */
const chunkIssues = 50;
const maxDescribed = 200;
/** Failures of the range that the order by occurrences rests on: of more, the newest. */
const rankedRows = 50_000;
export const trendBuckets = 24;
/** Greater than every fingerprint, which are hex: a page that begins here holds all issues of that instant. */
const aboveAll = "~";

/** What a page may cost; tests lower it. */
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

interface SheetRequest extends Omit<PageRequest, "after"> {
  /** Task rows that are counted of each issue, instead of its share. */
  readonly countedEach?: number;
}

export interface IssueList {
  readonly items: Issue[];
  readonly next: IssuePosition | null;
}

/**
 * The issues of the scope that occurred most, on one page. Up to `rankedRows` failures are counted; `isExact` says whether those were
 * all, so that no other issue belongs on the page.
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
  const sheet = createSheet(db, query, { ...page, ...(areAllCounted && { countedEach: rows }) });
  await sheet.fill(ranked);
  const mayMiss = sheet.items.length < page.limit && ranked.length === most;
  return { items: sheet.items, isExact: areAllCounted && !mayMiss };
}

/**
 * Issues by (last seen, fingerprint), newest first (spec part 3, section 10.2). Where a project has few issues each is looked up; else the
 * newest failures are walked step by step. Both are bounded, and so is what is described of each: the cost of a page is not given by the
 * number of tasks or failures.
 */
export async function listIssues(db: BrainDatabase, query: IssueSearch, page: PageRequest): Promise<IssueList> {
  const { after } = page;
  const sheet = createSheet(db, query, page);
  if (query.fingerprint !== null) {
    const { fingerprint } = query;
    const last = await lastFailures(db.slow, query, { fingerprints: [fingerprint], limit: laterRows });
    await sheet.fill([...last.values()].map((at) => ({ fingerprint, last_seen_at: at })));
    return { items: sheet.items, next: null };
  }
  const few = query.engine === null ? await fewIssues(db.slow, query, page.maxFew ?? maxFew) : null;
  if (few !== null) {
    const found = few.filter((issue) => isBehind(issue, after)).sort(newestFirst);
    return { items: sheet.items, next: await sheet.fill(found) };
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
      // Of the last instant not all may have been seen.
      .filter(({ last_seen_at }) => reached === null || last_seen_at > reached)
      .sort(newestFirst);
    for (const { fingerprint } of found) known.add(fingerprint);
    const stopped = await sheet.fill(after === null ? found : await withoutLater(db, query, found));
    if (stopped !== null || reached === null) return { items: sheet.items, next: stopped };
    before = { lastSeenAt: reached, fingerprint: aboveAll };
    if (sheet.isFull()) break;
  }
  return { items: sheet.items, next: before };
}

/** The issues of one page, described as they are found. */
function createSheet(
  db: BrainDatabase,
  query: IssueSearch,
  { limit, maxDescribed: most = maxDescribed, countedEach }: SheetRequest,
) {
  const items: Issue[] = [];
  let described = 0;
  const isFull = (): boolean => items.length === limit || described >= most;

  /** Adds issues; gives the last one that was looked at when the page is full before they are through. */
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
async function withoutLater(
  db: BrainDatabase,
  scope: FailureScope,
  found: readonly SeenIssue[],
): Promise<readonly SeenIssue[]> {
  if (found.length === 0) return found;
  const fingerprints = found.map(({ fingerprint }) => fingerprint);
  const last = await lastFailures(db.slow, scope, { fingerprints, limit: laterRows });
  return found.filter(({ fingerprint, last_seen_at }) => {
    // Not found within the limit: shown rather than never shown.
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
    // Deleted in between.
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
