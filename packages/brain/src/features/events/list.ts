import type { BrainDatabase, EventRow } from "../../schema/tables/index.ts";
import {
  type EventPosition,
  type EventScope,
  type EventSource,
  eventEngines,
  eventsAt,
  newestEvents,
  newestPositions,
  walkEvents,
} from "./reads.ts";

export interface EventFilter {
  readonly engine?: string;
  readonly taskId?: string;
  readonly kind?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** Maximum engines that are searched for a task id without an engine. */
const maxEngines = 50;
const stepRows = 4000;
/** Time limit for a filter by engine, which has no index in list order. */
const budgetMs = 200;

export interface FoundEvents {
  readonly rows: EventRow[];
  /** Start of the next page; null at the end. A page cut by size or time may be short or empty and still have one. */
  readonly next: EventPosition | null;
}

interface PageRequest {
  readonly after: EventPosition | null;
  readonly limit: number;
  /** Limit for the payloads of the page together; a default applies when absent. */
  readonly maxBytes?: number;
  readonly budgetMs?: number;
  readonly stepRows?: number;
}

/** Stored events of a project after `after`, newest first, at most `limit`. */
export async function listEvents(
  db: BrainDatabase,
  projectId: string,
  filter: EventFilter,
  page: PageRequest,
): Promise<FoundEvents> {
  const { engine, taskId, kind } = filter;
  const scope = { projectId, since: filter.since ?? null, until: filter.until ?? null, after: page.after };
  if (taskId !== undefined) {
    const engines = engine === undefined ? await eventEngines(db.read, projectId, maxEngines) : [engine];
    const sources = engines.map((each) => ({ engine: each, taskId, kind }));
    return sources.length === 1
      ? newest(db, { scope, source: sources[0] ?? null }, page)
      : merged(db, { scope, sources }, page);
  }
  const source = kind === undefined ? null : { kind };
  if (engine === undefined) return newest(db, { scope, source }, page);
  const engines = await eventEngines(db.read, projectId, maxEngines);
  if (engines.length < maxEngines && !engines.includes(engine)) return { rows: [], next: null };
  if (engines.length === 1) return newest(db, { scope, source }, page);
  return walk(db, { scope, source, engine }, page);
}

async function newest(
  db: BrainDatabase,
  list: { scope: EventScope; source: EventSource },
  { limit, maxBytes }: PageRequest,
): Promise<FoundEvents> {
  const { rows, hasMore } = await newestEvents(db.read, list, { limit, maxBytes });
  return { rows, next: hasMore ? placeOfLast(rows) : null };
}

/** Merges several lists by position first, so that full rows are read only for the page. */
async function merged(
  db: BrainDatabase,
  { scope, sources }: { scope: EventScope; sources: readonly EventSource[] },
  page: PageRequest,
): Promise<FoundEvents> {
  const lists = await Promise.all(sources.map((source) => newestPositions(db.read, { scope, source }, page.limit + 1)));
  const found = lists.flat().sort(newestFirst);
  const next = found.length > page.limit ? (found[page.limit - 1] ?? null) : null;
  return pageAt(db, scope.projectId, { found, next }, page);
}

async function walk(
  db: BrainDatabase,
  list: { scope: EventScope; source: { kind: string } | null; engine: string },
  page: PageRequest,
): Promise<FoundEvents> {
  const { limit, budgetMs: forMs = budgetMs, stepRows: rows = stepRows } = page;
  const deadlineMs = performance.now() + forMs;
  const found: EventPosition[] = [];
  for (let { scope } = list; ; ) {
    const step = await walkEvents(db.slow, { ...list, scope }, { rows, limit: limit + 1 - found.length });
    found.push(...step.found);
    const { projectId } = scope;
    if (found.length > limit) return pageAt(db, projectId, { found, next: found[limit - 1] ?? null }, page);
    if (step.end === null || performance.now() >= deadlineMs) {
      return pageAt(db, projectId, { found, next: step.end }, page);
    }
    scope = { ...scope, after: step.end };
  }
}

/** Reads the page of the found positions; `next` applies when all of them fit. */
async function pageAt(
  db: BrainDatabase,
  projectId: string,
  { found, next }: { found: readonly EventPosition[]; next: EventPosition | null },
  { limit, maxBytes }: PageRequest,
): Promise<FoundEvents> {
  const positions = found.slice(0, limit);
  const { rows, hasMore } = await eventsAt(db.read, { projectId, positions }, { limit, maxBytes });
  return { rows, next: hasMore ? placeOfLast(rows) : next };
}

function placeOfLast(rows: readonly EventRow[]): EventPosition | null {
  const last = rows.at(-1);
  return last === undefined ? null : { occurredAt: last.occurred_at, id: last.id };
}

const newestFirst = (a: EventPosition, b: EventPosition) =>
  b.occurredAt.getTime() - a.occurredAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
