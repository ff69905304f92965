import { isUuid } from "@svc/protocol";
import { days } from "../../platform/durations.ts";
import type { Actor } from "../../platform/http/access/actor.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { pageOf } from "../../platform/http/content/paging.ts";
import { type FailurePlace, type FailurePosition, failuresAt, newestFailures } from "./failures-reads.ts";
import { type HomeDeps, visibleProjects } from "./summary.ts";

const defaultLimit = 50;

/** Failures in all projects that the caller sees, newest first by (occurred_at, id). */
export async function listRecentFailures(
  deps: Pick<HomeDeps, "database" | "projects" | "clock">,
  actor: Actor,
  { cursor, limit = defaultLimit }: { cursor?: string; limit?: number },
) {
  const projects = new Map((await visibleProjects(deps, actor)).map((project) => [project.id, project]));
  if (projects.size === 0) return { items: [], next_cursor: null };
  const places = await findPlaces(deps, [...projects.keys()], { after: readPosition(cursor), limit: limit + 1 });
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

/** Mostly the last day holds enough; every day that is looked at costs a step for each of the projects. */
async function findPlaces(
  { database, clock }: Pick<HomeDeps, "database" | "clock">,
  ids: readonly string[],
  page: { after: FailurePosition | null; limit: number },
): Promise<FailurePlace[]> {
  const since = new Date((page.after?.occurredAt ?? clock.now()).getTime() - days(1));
  const places = await newestFailures(database.slow, ids, { ...page, since });
  return places.length === page.limit ? places : newestFailures(database.slow, ids, page);
}

function readPosition(cursor: string | undefined): FailurePosition | null {
  const values = decodeCursor(cursor, ["instant", "string"]);
  return values === null || !isUuid(values[1]) ? null : { occurredAt: values[0], id: values[1] };
}
