import { isUuid } from "@svc/protocol";
import { days } from "../../platform/durations.ts";
import type { Actor } from "../../platform/http/access/actor.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { pageOf } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { readRange } from "../stats/index.ts";
import { type FailurePlace, type FailurePosition, failuresAt, newestFailures } from "./failures-reads.ts";
import { type HomeDeps, visibleProjects } from "./summary.ts";

const defaultLimit = 50;

interface FailuresRequest {
  readonly cursor?: string;
  readonly limit?: number;
  /** Slug. */
  readonly project?: string;
  /** Inclusive bounds, as in the time range of figures. */
  readonly since?: string;
  readonly until?: string;
}

/**
 * Failures in one or all of the projects that the caller sees, newest first by (occurred_at, id).
 *
 * @throws ApiError `not_found` for a project that the caller does not see
 */
export async function listRecentFailures(
  deps: Pick<HomeDeps, "database" | "projects" | "clock">,
  actor: Actor,
  { cursor, limit = defaultLimit, project: only, ...asked }: FailuresRequest,
) {
  const visible = (await visibleProjects(deps, actor)).filter(({ slug }) => only === undefined || slug === only);
  if (only !== undefined && visible.length === 0) throw new ApiError("not_found", { resource: "project" });
  const projects = new Map(visible.map((project) => [project.id, project]));
  if (projects.size === 0) return { items: [], next_cursor: null };
  const range = readRange(asked, deps.clock.now());
  const after = readPosition(cursor) ?? (asked.until === undefined || range === null ? null : lastAt(range.to));
  const since = asked.since === undefined || range === null ? null : range.from;
  const places = await findPlaces(deps, [...projects.keys()], { after, since, limit: limit + 1 });
  const page = pageOf(places, limit, ({ occurredAt, id }) => encodeCursor([occurredAt, id]));
  const rows = await failuresAt(deps.database.slow, page.items);
  return {
    items: rows.map(({ priority, ...row }) => ({
      ...row,
      project_slug: projects.get(row.project_id)?.slug ?? "",
      project_name: projects.get(row.project_id)?.name ?? "",
      priority: priority ?? "normal",
    })),
    next_cursor: page.next_cursor,
  };
}

/** No event at the instant is after this position. */
const lastAt = (occurredAt: Date): FailurePosition => ({ occurredAt, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" });

/** Usually the last day has enough failures, and every further day costs a step for each project. */
async function findPlaces(
  { database, clock }: Pick<HomeDeps, "database" | "clock">,
  ids: readonly string[],
  page: { after: FailurePosition | null; since: Date | null; limit: number },
): Promise<FailurePlace[]> {
  const dayBefore = new Date((page.after?.occurredAt ?? clock.now()).getTime() - days(1));
  const isWithinDay = page.since !== null && page.since >= dayBefore;
  const places = await newestFailures(database.slow, ids, { ...page, since: isWithinDay ? page.since : dayBefore });
  return isWithinDay || places.length === page.limit ? places : newestFailures(database.slow, ids, page);
}

function readPosition(cursor: string | undefined): FailurePosition | null {
  const values = decodeCursor(cursor, ["instant", "string"]);
  return values === null || !isUuid(values[1]) ? null : { occurredAt: values[0], id: values[1] };
}
