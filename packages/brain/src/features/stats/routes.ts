import type { Clock } from "../../platform/clock.ts";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { readLatency, readSlowestNames } from "./latency.ts";
import { readReleases } from "./releases.ts";
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
import { readStats } from "./summary.ts";
import { rangeOrLastDay } from "./time-range.ts";
import { readTrends } from "./trends.ts";

export const statsRoutes: Routes<{ database: BrainDatabase; clock: Clock }> = (app, { database, clock }) => {
  app.get(
    "/projects/:slug/stats",
    {
      schema: { params: ProjectParams, querystring: StatsQuery, response: { 200: StatsReply } },
      config: { tag: "stats", role: "viewer", heavy: true },
    },
    ({ project, query }) => readStats(database, { projectId: project.id, query, now: clock.now() }),
  );

  app.get(
    "/projects/:slug/trends",
    {
      schema: { params: ProjectParams, querystring: TrendsQuery, response: { 200: TrendsReply } },
      config: { tag: "trends", role: "viewer", heavy: true },
    },
    ({ project, query }) => readTrends(database, { projectId: project.id, query, now: clock.now() }),
  );

  app.get(
    "/projects/:slug/latency",
    {
      schema: { params: ProjectParams, querystring: LatencyQuery, response: { 200: LatencyReply } },
      config: { tag: "stats", role: "viewer", heavy: true },
    },
    ({ project, query }) => readLatency(database, { projectId: project.id, query, now: clock.now() }),
  );

  app.get(
    "/projects/:slug/latency/names",
    {
      schema: { params: ProjectParams, querystring: LatencyNamesQuery, response: { 200: LatencyNamesReply } },
      config: { tag: "stats", role: "viewer", heavy: true },
    },
    ({ project, query }) => readSlowestNames(database, { projectId: project.id, query, now: clock.now() }),
  );

  app.get(
    "/projects/:slug/releases",
    {
      schema: { params: ProjectParams, querystring: ReleasesQuery, response: { 200: ReleasesReply } },
      config: { tag: "stats", role: "viewer", heavy: true },
    },
    ({ project, query }) => readReleases(database, project.id, rangeOrLastDay(query, clock.now())),
  );
};
