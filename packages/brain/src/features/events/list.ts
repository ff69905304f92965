import type { Database } from "../../platform/database/database.ts";
import type { EventRow, Tables } from "../../schema/tables/index.ts";
import { type EventPosition, type EventScope, eventEngines, eventsAt, newestEvents, walkEvents } from "./reads.ts";

export interface EventFilter {
  readonly engine?: string;
  readonly taskId?: string;
  readonly kind?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** Engines whose tasks are looked at when a task id comes without its engine. */
const maxEngines = 50;
const stepRows = 4000;
/** Time for a filter by engine, which has no index of its own in list order. */
const budgetMs = 200;

export interface EventPage {
  readonly rows: EventRow[];
  /** Where the next page begins; null at the end. A page whose time was used up may be short, or empty, and still have one. */
  readonly next: EventPosition | null;
}

type Db = Database<Tables>;

/** Stored events of a project after `after`, newest first, at most `limit`. */
export async function listEvents(
  db: Db,
  projectId: string,
  filter: EventFilter,
  page: { after: EventPosition | null; limit: number; budgetMs?: number; stepRows?: number },
): Promise<EventPage> {
  const { engine, taskId, kind } = filter;
  const scope = { projectId, since: filter.since ?? null, until: filter.until ?? null, after: page.after };
  const limit = page.limit + 1;
  if (taskId !== undefined) {
    const engines = engine === undefined ? await eventEngines(db.read, projectId, maxEngines) : [engine];
    const lists = await Promise.all(
      engines.map((each) =>
        newestEvents(db.read, db.dialect, { scope, source: { engine: each, taskId }, kind }, limit),
      ),
    );
    return cut(lists.flat().sort(newestFirst), page.limit);
  }
  const source = kind === undefined ? null : { kind };
  if (engine === undefined) return cut(await newestEvents(db.read, db.dialect, { scope, source }, limit), page.limit);
  const engines = await eventEngines(db.read, projectId, maxEngines);
  if (engines.length < maxEngines && !engines.includes(engine)) return { rows: [], next: null };
  if (engines.length === 1) return cut(await newestEvents(db.read, db.dialect, { scope, source }, limit), page.limit);
  return walk(db, { scope, source, engine }, { budgetMs, stepRows, ...page });
}

async function walk(
  db: Db,
  list: { scope: EventScope; source: { kind: string } | null; engine: string },
  page: { limit: number; budgetMs: number; stepRows: number },
): Promise<EventPage> {
  const deadlineMs = performance.now() + page.budgetMs;
  const found: EventPosition[] = [];
  for (let { scope } = list; ; ) {
    const wanted = page.limit + 1 - found.length;
    const step = await walkEvents(db.slow, db.dialect, { ...list, scope }, { rows: page.stepRows, limit: wanted });
    found.push(...step.found);
    const rows = () => eventsAt(db.read, db.dialect, scope.projectId, found.slice(0, page.limit));
    if (found.length > page.limit) return { rows: await rows(), next: found[page.limit - 1] ?? null };
    if (step.end === null || performance.now() >= deadlineMs) return { rows: await rows(), next: step.end };
    scope = { ...scope, after: step.end };
  }
}

function cut(rows: EventRow[], limit: number): EventPage {
  const last = rows[limit - 1];
  const next = rows.length > limit && last !== undefined ? { occurredAt: last.occurred_at, id: last.id } : null;
  return { rows: rows.slice(0, limit), next };
}

const newestFirst = (a: EventRow, b: EventRow) =>
  b.occurred_at.getTime() - a.occurred_at.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
