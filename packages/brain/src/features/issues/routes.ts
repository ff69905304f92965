import { hours } from "../../platform/durations.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import type { Core } from "../../schema/tables/index.ts";
import { readRange } from "../stats/index.ts";
import { type IssuePosition, listFrequentIssues, listIssues, trendBuckets } from "./list.ts";
import { IssuePage, IssueQuery } from "./schemas.ts";

const defaultLimit = 50;

export const issueRoutes: Routes<Core> = (app, { database, clock }) => {
  operation(app, "GET /projects/:slug/issues", {
    operationId: "listIssues",
    summary: "List issues",
    description:
      "Groups similar failures into issues and lists them, most recent failure first; `sort=occurrences` returns the most frequent ones on a single page. A page that takes too long ends early, with a cursor.",
    querystring: IssueQuery,
    response: { 200: IssuePage },
    policy: { tag: "issues", role: "viewer", heavy: true },
    handler: async ({ project, query }) => {
      const scope = scopeOf(project.id, query, clock.now());
      const limit = query.limit ?? defaultLimit;
      if (query.sort === "occurrences" && query.fingerprint === undefined) {
        const { items, isExact } = await listFrequentIssues(database, scope, { limit });
        return { items, next_cursor: null, is_exact: isExact };
      }
      const { items, next } = await listIssues(database, scope, { after: readPosition(query.cursor), limit });
      const cursor = next === null ? null : encodeCursor([next.lastSeenAt, next.fingerprint]);
      return { items, next_cursor: cursor, is_exact: true };
    },
  });
};

function scopeOf(
  projectId: string,
  { engine, status, fingerprint, hours: lastHours, trend, ...given }: IssueQuery,
  now: Date,
) {
  const asked = readRange(given, now);
  const since = asked?.from ?? (lastHours === undefined ? null : new Date(now.getTime() - hours(lastHours)));
  const untilMs = (asked?.to ?? now).getTime();
  const fromMs = since?.getTime() ?? untilMs - hours(24);
  return {
    projectId,
    engine: engine === undefined || engine === "" ? null : engine,
    status: status ?? null,
    fingerprint: fingerprint ?? null,
    since,
    until: given.until === undefined ? null : (asked?.to ?? null),
    trend: trend === true ? { fromMs, widthMs: (untilMs - fromMs) / trendBuckets } : null,
  };
}

function readPosition(cursor: string | undefined): IssuePosition | null {
  const values = decodeCursor(cursor, ["instant", "string"]);
  return values === null ? null : { lastSeenAt: values[0], fingerprint: values[1] };
}
