import { type ExpressionBuilder, sql } from "kysely";
import { countOf } from "../../../platform/database/results.ts";
import type { Db, Tables } from "../../../schema/tables/index.ts";

/** A position in a list: after it (older) or before it (newer). */
export interface AuditPosition {
  readonly occurredUs: number;
  readonly id: string;
}

export interface AuditFilter {
  /** Literal prefix of the action. */
  readonly actionPrefix?: string | undefined;
  readonly outcome?: string | undefined;
  readonly userId?: string | undefined;
  /** Id of what was acted on. */
  readonly targetId?: string | undefined;
  readonly sinceUs?: number | undefined;
  /** Rows of this instant or older. */
  readonly untilUs?: number | undefined;
  readonly olderThan?: AuditPosition | null | undefined;
  readonly newerThan?: AuditPosition | null | undefined;
}

/** The rows to read: of a project, of a user outside any project, or all. */
export type AuditSource = { readonly projectId: string } | { readonly ownOf: string } | "all";

const columns = [
  "audit_log.id",
  "audit_log.project_id",
  "audit_log.user_id",
  "action",
  "target_type",
  "target_id",
  "result",
  "outcome",
  "event_id",
  "metadata",
  "source_ip",
  "user_agent",
  "occurred_us",
] as const;

type Eb = ExpressionBuilder<Tables, "audit_log">;

function matches(eb: Eb, source: AuditSource, filter: AuditFilter) {
  const { actionPrefix, outcome, userId, targetId, sinceUs, untilUs, olderThan, newerThan } = filter;
  const all = [];
  if (source !== "all" && "projectId" in source) all.push(eb("audit_log.project_id", "=", source.projectId));
  if (source !== "all" && "ownOf" in source)
    all.push(eb("audit_log.user_id", "=", source.ownOf), eb("audit_log.project_id", "is", null));
  if (actionPrefix !== undefined && actionPrefix !== "") {
    const length = [...actionPrefix].length;
    all.push(sql<boolean>`substr(action, 1, ${length}) = ${actionPrefix}`);
  }
  if (outcome !== undefined && outcome !== "") all.push(eb("outcome", "=", outcome));
  if (userId !== undefined) all.push(eb("audit_log.user_id", "=", userId));
  if (targetId !== undefined && targetId !== "") all.push(eb("target_id", "=", targetId));
  if (sinceUs !== undefined) all.push(eb("occurred_us", ">=", sinceUs));
  if (untilUs !== undefined) all.push(eb("occurred_us", "<=", untilUs));
  // The indexes of a project and of a user are entered by the time bound alone.
  if (olderThan) all.push(eb("occurred_us", "<=", olderThan.occurredUs), eb(place(eb), "<", at(eb, olderThan)));
  if (newerThan) all.push(eb("occurred_us", ">=", newerThan.occurredUs), eb(place(eb), ">", at(eb, newerThan)));
  return eb.and(all);
}

const place = (eb: Eb) => eb.refTuple("occurred_us", "audit_log.id");
const at = (eb: Eb, { occurredUs, id }: AuditPosition) => eb.tuple(occurredUs, id);

/** The newest rows of a source, newest first. */
export const newestAuditRows = (db: Db, source: AuditSource, filter: AuditFilter, limit: number) =>
  db
    .selectFrom("audit_log")
    .select(columns)
    .where((eb) => matches(eb, source, filter))
    .orderBy("occurred_us", "desc")
    .orderBy("audit_log.id", "desc")
    .limit(limit)
    .execute();

export type ListedRow = Awaited<ReturnType<typeof newestAuditRows>>[number];

/** Positions of the newest rows of several sources together, newest first. */
export async function newestAuditPositions(
  db: Db,
  sources: readonly AuditSource[],
  filter: AuditFilter,
  limit: number,
): Promise<AuditPosition[]> {
  const each = sources.map((source) =>
    db
      .selectFrom(
        db
          .selectFrom("audit_log")
          .select(["occurred_us", "audit_log.id"])
          .where((eb) => matches(eb, source, filter))
          .orderBy("occurred_us", "desc")
          .orderBy("audit_log.id", "desc")
          .limit(limit)
          .as("newest"),
      )
      .select(["newest.occurred_us", "newest.id"]),
  );
  const [first, ...others] = each;
  if (first === undefined) return [];
  const rows = await others
    .reduce((union, next) => union.unionAll(next), first)
    .orderBy("occurred_us", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ occurred_us, id }) => ({ occurredUs: occurred_us, id }));
}

/** Rows by id, newest first. */
export const auditRowsByIds = (db: Db, ids: readonly string[]): Promise<ListedRow[]> =>
  db
    .selectFrom("audit_log")
    .select(columns)
    .where("audit_log.id", "in", ids)
    .orderBy("occurred_us", "desc")
    .orderBy("audit_log.id", "desc")
    .execute();

/** The number of matching rows, counted up to `most`. */
export const countUpTo = (db: Db, source: AuditSource, filter: AuditFilter, most: number): Promise<number> =>
  countOf(
    db
      .selectFrom(
        db
          .selectFrom("audit_log")
          .select("audit_log.id")
          .where((eb) => matches(eb, source, filter))
          .limit(most)
          .as("matching"),
      )
      .select(({ fn }) => fn.countAll<number>().as("count")),
  );

export interface NamedProject {
  readonly id: string;
  readonly slug: string;
}

/** Projects whose audit log a user may read by membership, at most `limit`. */
export const auditedProjects = (db: Db, userId: string, limit: number): Promise<NamedProject[]> =>
  db
    .selectFrom("memberships")
    .innerJoin("projects", "projects.id", "memberships.project_id")
    .select(["projects.id", "projects.slug"])
    .where("memberships.user_id", "=", userId)
    .where("memberships.role", "in", ["auditor", "admin"])
    .orderBy("projects.slug")
    .limit(limit)
    .execute();

export const projectBySlug = (db: Db, slug: string): Promise<NamedProject | undefined> =>
  db.selectFrom("projects").select(["id", "slug"]).where("slug", "=", slug).executeTakeFirst();

export const projectsByIds = (db: Db, ids: readonly string[]): Promise<NamedProject[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.selectFrom("projects").select(["id", "slug"]).where("id", "in", ids).execute();
