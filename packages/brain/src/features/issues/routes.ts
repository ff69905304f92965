import { hours } from "../../platform/durations.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import type { Core } from "../../schema/tables/index.ts";
import { readRange } from "../stats/index.ts";
import { type IssuePosition, listIssues, trendBuckets } from "./list.ts";
import { IssuePage, IssueQuery } from "./schemas.ts";

const defaultLimit = 50;

export const issueRoutes: Routes<Core> = (app, { database, clock }) => {
  operation(app, "GET /projects/:slug/issues", {
    operationId: "listIssues",
    summary: "List issues",
    description:
      "Groups failures that look alike into issues and lists them by their last failure, newest first. A page that would take too long ends early, with a cursor.",
    querystring: IssueQuery,
    response: { 200: IssuePage },
    policy: { tag: "issues", role: "viewer", heavy: true },
    handler: async ({ project, query }) => {
      const { items, next } = await listIssues(database, scopeOf(project.id, query, clock.now()), {
        after: readPosition(query.cursor),
        limit: query.limit ?? defaultLimit,
      });
      return { items, next_cursor: next === null ? null : encodeCursor([next.lastSeenAt, next.fingerprint]) };
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
