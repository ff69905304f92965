import { taskStates } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { Instant, Nullable, OneOf, timeRange } from "../../platform/http/schemas.ts";
import { type BucketName, bucketNames, windowNames } from "./time-range.ts";

export const StatsQuery = Type.Object({
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      description:
        "default 24; since and until replace it. Counts of more than 48 h ago are kept by the UTC hour, and the first and the last one are counted whole",
    }),
  ),
  ...timeRange,
});
export type StatsQuery = Static<typeof StatsQuery>;

export const TrendsQuery = Type.Object({
  window: Type.Optional(
    OneOf(windowNames, { description: "length of the range up to now; since and until replace it" }),
  ),
  bucket: Type.Optional(
    Type.Unsafe<BucketName>({
      ...OneOf(bucketNames, { title: "BucketWidth" }),
      description: "1h at least where the range begins more than 48 h ago, because older counts are kept by the hour",
    }),
  ),
  ...timeRange,
});
export type TrendsQuery = Static<typeof TrendsQuery>;

export const LatencyQuery = Type.Object({
  bucket: TrendsQuery.properties.bucket,
  name: Type.Optional(Type.String({ maxLength: 500, description: "exact task name" })),
  queue: Type.Optional(Type.String({ maxLength: 200, description: "exact queue name" })),
  ...timeRange,
});
export type LatencyQuery = Static<typeof LatencyQuery>;

export const LatencyNamesQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "most names; default 8" })),
  ...timeRange,
});
export type LatencyNamesQuery = Static<typeof LatencyNamesQuery>;

export const StatsReply = Type.Object(
  {
    tasks_by_state: Type.Object(Object.fromEntries(taskStates.map((state) => [state, Type.Integer()]))),
    tasks_total: Type.Integer(),
    tasks_failed_24h: Type.Integer(),
    tasks_succeeded_24h: Type.Integer(),
    failure_rate_24h: Type.Number(),
    agents_online: Type.Integer(),
    agents_offline: Type.Integer(),
    workers_online: Type.Integer(),
    workers_offline: Type.Integer(),
    commands_pending: Type.Integer({ description: "now, whenever they were issued" }),
    commands_dispatched: Type.Integer({ description: "now, whenever they were issued" }),
    commands_completed_24h: Type.Integer(),
    commands_failed_24h: Type.Integer(),
    commands_timeout_24h: Type.Integer(),
    queue_depths: Type.Array(
      Type.Object({
        name: Type.String(),
        engine: Type.String(),
        pending_count: Type.Integer(),
        broker_type: Nullable(Type.String()),
        last_seen_at: Nullable(Instant),
      }),
      { title: "Durations", description: "x" },
    ),
    system_health: Type.Object({
      status: OneOf(["healthy", "degraded", "critical"]),
      agents_all_online: Type.Boolean(),
      queue_depth_ok: Type.Boolean(),
      failure_rate_ok: Type.Boolean(),
      brain_db_ok: Type.Boolean(),
    }),
  },
  { title: "ProjectStats", description: "Figures of a project." },
);

export const TrendsReply = Type.Object(
  {
    window: Type.String({ description: "the asked window, or `custom` for since and until" }),
    bucket: Type.Unsafe<BucketName>({
      ...OneOf(bucketNames, { title: "BucketWidth" }),
      description: "the one that was used",
    }),
    series: Type.Array(
      Type.Object(
        {
          t: Instant,
          success: Type.Integer(),
          failure: Type.Integer(),
          retry: Type.Integer(),
          revoked: Type.Integer(),
          total: Type.Integer({ description: "success, failure, retry and revoked together" }),
          avg_runtime_ms: Nullable(Type.Number()),
        },
        { title: "TrendBucket", description: "The outcomes of one part of the range." },
      ),
    ),
  },
  { title: "Trends", description: "Outcomes of tasks over time." },
);

const Percentiles = Type.Object(
  {
    p50: Type.Number(),
    p95: Type.Number(),
    p99: Type.Number(),
    count: Type.Integer({ description: "values they are of" }),
  },
  { title: "Percentiles", description: "milliseconds, within 5 % of the true value" },
);
const durations = { run: Nullable(Percentiles), wait: Nullable(Percentiles) };

export const LatencyReply = Type.Object(
  {
    bucket: TrendsReply.properties.bucket,
    total: Type.Object(durations, { description: "of all buckets together" }),
    series: Type.Array(Type.Object({ t: Instant, ...durations })),
  },
  { title: "Latency", description: "Run and wait times over time." },
);

export const LatencyNamesReply = Type.Object(
  {
    since: Type.Union([Instant], { description: "start of the first whole minute, hour or day that is counted" }),
    until: Instant,
    previous_since: Type.Union([Instant], { description: "the range before it goes from here to `since`" }),
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        run: Percentiles,
        failed: Type.Integer(),
        previous: Nullable(Percentiles),
      }),
    ),
  },
  { title: "SlowestNames", description: "Task names by the 95th percentile of their run times, greatest first." },
);

export const ReleasesQuery = Type.Object(timeRange);

export const ReleasesReply = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { release: Type.String(), first_seen: Instant },
        { title: "ReleaseMark", description: "A release and the time of its first event." },
      ),
      {
        description: "in order of time, the newest 200 of them",
      },
    ),
  },
  { title: "ReleasePage", description: "Releases first seen in the range." },
);
