import { isUuid } from "@svc/protocol";
import { chunks } from "../../../platform/chunks.ts";
import type { Actor } from "../../../platform/http/access/actor.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { microsOf } from "../chain/chain.ts";
import type { ActivityFeedPage, ActivityFeedQuery } from "../schemas.ts";
import { readerFor, shownInstant, shownRow } from "./list.ts";
import {
  type AuditFilter,
  type AuditPosition,
  type AuditSource,
  auditedProjects,
  auditRowsByIds,
  newestAuditPositions,
  newestAuditRows,
  projectBySlug,
  projectsByIds,
} from "./list-reads.ts";

const defaultRows = 50;
const maxRows = 200;
/** Projects of one caller that the feed includes; the first by slug. */
const maxProjects = 1000;
/** Maximum sources in one statement. */
const sourcesPerStatement = 50;

/**
 * The activity feed: an instance administrator sees every row; auditors and admins of projects see the rows of those projects and their own rows
 * outside any project; all other users see only the latter.
 */
export async function readActivity(
  database: BrainDatabase,
  actor: Pick<Actor, "user">,
  query: ActivityFeedQuery,
): Promise<ActivityFeedPage> {
  const limit = query.limit === undefined || query.limit <= 0 ? defaultRows : Math.min(query.limit, maxRows);
  const since = placeOf(query.since_cursor);
  const filter: AuditFilter = {
    actionPrefix: query.action_prefix,
    newerThan: since,
    olderThan: placeOf(query.before_cursor),
  };
  const { user } = actor;
  const sources = await sourcesOf(database, user, query.project_slug);
  const found = await newestOf(database, sources, filter, limit + 1);
  const rows = found.slice(0, limit);
  const slugs = await slugsOf(database, rows);
  const oldest = rows.at(-1);
  const newest = rows[0];
  return {
    items: rows.map((row) => {
      const { event_id: _event, user_agent: _agent, ...shown } = shownRow(row, user.is_admin);
      return { ...shown, project_slug: (row.project_id !== null && slugs.get(row.project_id)) || null };
    }),
    next_before_cursor: found.length > limit && oldest !== undefined ? cursorOf(oldest) : null,
    newest_cursor: newest === undefined ? sameCursor(since) : cursorOf(newest),
  };
}

async function sourcesOf(
  { read }: BrainDatabase,
  user: Actor["user"],
  slug: string | undefined,
): Promise<AuditSource[]> {
  if (user.is_admin) {
    if (slug === undefined || slug === "") return ["all"];
    const project = await projectBySlug(read, slug);
    return project === undefined ? [] : [{ projectId: project.id }];
  }
  const projects = await auditedProjects(read, user.id, maxProjects);
  const wanted = slug === undefined || slug === "" ? projects : projects.filter((project) => project.slug === slug);
  const sources: AuditSource[] = wanted.map(({ id }) => ({ projectId: id }));
  return slug === undefined || slug === "" ? [...sources, { ownOf: user.id }] : sources;
}

/** The newest rows of all sources together: first the positions, each by its own index, then the rows of the page. */
async function newestOf(database: BrainDatabase, sources: readonly AuditSource[], filter: AuditFilter, limit: number) {
  const db = readerFor(database, filter);
  const [only] = sources;
  if (only === undefined) return [];
  if (sources.length === 1) return newestAuditRows(db, only, filter, limit);
  const places: AuditPosition[] = [];
  for (const some of chunks(sources, sourcesPerStatement)) {
    places.push(...(await newestAuditPositions(db, some, filter, limit)));
  }
  const newest = places.sort(newestFirst).slice(0, limit);
  return newest.length === 0
    ? []
    : auditRowsByIds(
        db,
        newest.map(({ id }) => id),
      );
}

const newestFirst = (a: AuditPosition, b: AuditPosition) =>
  b.occurredUs - a.occurredUs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

async function slugsOf({ read }: BrainDatabase, rows: readonly { project_id: string | null }[]) {
  const ids = new Set(rows.map(({ project_id }) => project_id).filter((id) => id !== null));
  return new Map((await projectsByIds(read, [...ids])).map(({ id, slug }) => [id, slug]));
}

const cursorOf = ({ occurred_us, id }: { occurred_us: number; id: string }) => `${shownInstant(occurred_us)}|${id}`;
const sameCursor = (place: AuditPosition | null) =>
  place === null ? null : cursorOf({ occurred_us: place.occurredUs, id: place.id });

const cursorForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00:00)\|(.+)$/;

/** The position that `<iso>|<id>` names; null, which means the top, for anything else. */
function placeOf(cursor: string | undefined): AuditPosition | null {
  const [, second, fraction = "", id = ""] = cursorForm.exec(cursor ?? "") ?? [];
  if (second === undefined || !isUuid(id) || Number.isNaN(Date.parse(`${second}Z`))) return null;
  return { occurredUs: microsOf(`${second}.${fraction.padEnd(6, "0")}`), id: id.toLowerCase() };
}
