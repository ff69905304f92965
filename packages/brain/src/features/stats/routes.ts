import { operation, type Routes } from "../../platform/http/app.ts";
import type { Core } from "../../schema/tables/index.ts";
import { readLatency, readSlowestNames } from "./latency.ts";
import { readReleases } from "./releases/releases.ts";
import {
  LatencyNamesQuery,
  LatencyNamesReply,
  LatencyQuery,
  LatencyReply,
  ReleasesQuery,
  ReleasesReply,
  StatsQuery,
  StatsReply,
  TrendsQuery,
  TrendsReply,
} from "./schemas.ts";
import { readStats, type StatsDeps } from "./summary.ts";
import { rangeOrLastDay } from "./time-range.ts";
import { readTrends } from "./trends.ts";

export const statsRoutes: Routes<Core & StatsDeps> = (app, { database, clock, schedules }) => {
  operation(app, "GET /projects/:slug/stats", {
    operationId: "getStats",
    summary: "Get statistics of a project",
    description:
      "Counts tasks by outcome within the range, and the current state: tasks by state, agents, workers, open commands and queue depths. Counters lag by at most five seconds.",
    querystring: StatsQuery,
    response: { 200: StatsReply },
    policy: { tag: "stats", role: "viewer", heavy: true },
    handler: ({ project, query }) =>
      readStats({ database, schedules }, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/trends", {
    operationId: "getTrends",
    summary: "Get task outcomes over time",
    description: "Returns counts of task outcomes as a series, at most 1,500 points.",
    querystring: TrendsQuery,
    response: { 200: TrendsReply },
    policy: { tag: "trends", role: "viewer", heavy: true },
    handler: ({ project, query }) => readTrends(database, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/latency", {
    operationId: "getLatency",
    summary: "Get run and wait times over time",
    description: "Returns percentiles of run and wait times, in total and as a series. Defaults to the last 24 hours.",
    querystring: LatencyQuery,
    response: { 200: LatencyReply },
    policy: { tag: "stats", role: "viewer", heavy: true },
    handler: ({ project, query }) => readLatency(database, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/latency/names", {
    operationId: "listSlowestNames",
    summary: "List the slowest task names",
    description: "Lists task names by the 95th percentile of their run times, with the preceding range for comparison.",
    querystring: LatencyNamesQuery,
    response: { 200: LatencyNamesReply },
    policy: { tag: "stats", role: "viewer", heavy: true },
    handler: ({ project, query }) => readSlowestNames(database, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/releases", {
    operationId: "listReleases",
    summary: "List releases",
    description: "Lists the releases first seen in the range, in order of time. Defaults to the last 24 hours.",
    querystring: ReleasesQuery,
    response: { 200: ReleasesReply },
    policy: { tag: "stats", role: "viewer", heavy: true },
    handler: ({ project, query }) => readReleases(database, project.id, rangeOrLastDay(query, clock.now())),
  });
};
