import { taskStates } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { Described, Instant, Nullable, OneOf, timeRange } from "../../platform/http/schemas.ts";
import { bucketNames, windowNames } from "./time-range.ts";

export const StatsQuery = Type.Object({
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      description:
        "default 24; overridden by since and until. Counts older than 48 h are kept by the UTC hour, and the first and last hour are counted whole",
    }),
  ),
  ...timeRange,
});
export type StatsQuery = Static<typeof StatsQuery>;

const BucketWidth = OneOf(bucketNames, { title: "BucketWidth", description: "length of one interval" });

export const TrendsQuery = Type.Object({
  window: Type.Optional(
    OneOf(windowNames, { description: "length of the range up to now; overridden by since and until" }),
  ),
  bucket: Type.Optional(
    Described(
      BucketWidth,
      "at least 1h when the range starts more than 48 h ago, because older counts are kept by the hour",
    ),
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
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "maximum number of names; default 8" })),
  ...timeRange,
});
export type LatencyNamesQuery = Static<typeof LatencyNamesQuery>;

/** What `missingWorkers` counts. */
export const missingMeans =
  "workers that went offline in the last 24 h without announcing it, minus those of the same engine that started since";

export const StatsReply = Type.Object(
  {
    tasks_by_state: Type.Object(
      Object.fromEntries(taskStates.map((state) => [state, Type.Integer({ description: `tasks in state ${state}` })])),
      {
        description: "tasks in each state now",
      },
    ),
    tasks_total: Type.Integer({ description: "all stored tasks" }),
    tasks_finished_24h: Type.Integer({
      description: "tasks that finished in the range: succeeded, failed, were revoked or rejected",
    }),
    tasks_failed_24h: Type.Integer({ description: "failures in the range" }),
    tasks_succeeded_24h: Type.Integer({ description: "successes in the range" }),
    failure_rate_24h: Type.Number({
      description: "share of failures among failures and successes in the range, 0 to 1; 0 without any",
    }),
    agents_online: Type.Integer({ description: "agents that are online now" }),
    agents_offline: Type.Integer({ description: "agents that are not online now, except those that never connected" }),
    workers_online: Type.Integer({ description: "workers that are online now" }),
    workers_offline: Type.Integer({ description: "workers that are offline now" }),
    workers_missing: Type.Integer({ description: missingMeans }),
    commands_pending: Type.Integer({ description: "commands pending now, whenever issued" }),
    commands_dispatched: Type.Integer({ description: "commands dispatched now, whenever issued" }),
    commands_completed_24h: Type.Integer({ description: "commands issued in the range that completed" }),
    commands_failed_24h: Type.Integer({ description: "commands issued in the range that failed" }),
    commands_timeout_24h: Type.Integer({ description: "commands issued in the range that timed out" }),
    schedules_stopped: Type.Integer({
      description:
        "schedules that fire again only after someone acts: quarantined ones, and those disabled after failed fires in a row",
    }),
    queue_depths: Type.Array(
      Type.Object({
        name: Type.String({ description: "name of the queue" }),
        engine: Type.String({ description: "name of the engine" }),
        pending_count: Type.Integer({ description: "waiting tasks, as last reported" }),
        broker_type: Nullable(Type.String(), "reserved for the type of broker; null"),
        last_seen_at: Nullable(Instant, "time of the newest report or event that names it; null if none"),
      }),
      { description: "the 500 deepest queues, deepest first" },
    ),
    system_health: Type.Object(
      {
        status: OneOf(["healthy", "degraded", "critical"], {
          description:
            "critical: none of several agents is online; degraded: a flag is false; healthy: every flag is true",
        }),
        agents_all_online: Type.Boolean({ description: "every agent is online" }),
        queue_depth_ok: Type.Boolean({ description: "fewer than 10 000 tasks wait in every queue" }),
        failure_rate_ok: Type.Boolean({ description: "failure_rate_24h is below 0.1" }),
        brain_db_ok: Type.Boolean({ description: "the database answers" }),
      },
      { description: "whether the project needs attention" },
    ),
  },
  { title: "ProjectStats", description: "Figures of a project." },
);

export const TrendsReply = Type.Object(
  {
    window: Type.String({ description: "the requested window, or `custom` with since and until" }),
    bucket: BucketWidth,
    series: Type.Array(
      Type.Object(
        {
          t: Described(Instant, "start of the interval"),
          success: Type.Integer({ description: "tasks that succeeded" }),
          failure: Type.Integer({ description: "tasks that failed" }),
          retry: Type.Integer({ description: "retries" }),
          revoked: Type.Integer({ description: "tasks that were revoked" }),
          rejected: Type.Integer({ description: "tasks that were rejected" }),
          total: Type.Integer({ description: "sum of these: finished tasks and retries" }),
          avg_runtime_ms: Nullable(Type.Number(), "mean run time; null without any"),
        },
        { title: "TrendBucket", description: "The outcomes of one interval." },
      ),
    ),
  },
  { title: "Trends", description: "Outcomes of tasks over time." },
);

const Percentiles = Type.Object(
  {
    p50: Type.Number({ description: "half of the values are at most this" }),
    p95: Type.Number({ description: "95 % of the values are at most this" }),
    p99: Type.Number({ description: "99 % of the values are at most this" }),
    count: Type.Integer({ description: "number of values" }),
  },
  { title: "Percentiles", description: "milliseconds, within 5 % of the true value" },
);
const durations = { run: Nullable(Percentiles), wait: Nullable(Percentiles) };

export const LatencyReply = Type.Object(
  {
    bucket: TrendsReply.properties.bucket,
    total: Type.Object(durations, { description: "percentiles of the whole range" }),
    series: Type.Array(Type.Object({ t: Described(Instant, "start of the interval"), ...durations }), {
      description: "percentiles of each interval, oldest first",
    }),
  },
  { title: "Latency", description: "Run and wait times over time." },
);

export const LatencyNamesReply = Type.Object(
  {
    since: Type.Union([Instant], { description: "start of the first whole minute, hour or day that is counted" }),
    until: Described(Instant, "end of the range"),
    previous_since: Type.Union([Instant], { description: "start of the preceding range, which ends at `since`" }),
    items: Type.Array(
      Type.Object({
        name: Type.String({ description: "function or job name" }),
        run: Percentiles,
        failed: Type.Integer({ description: "tasks with this name that failed in the range" }),
        previous: Nullable(Percentiles),
      }),
      { description: "slowest first" },
    ),
  },
  { title: "SlowestNames", description: "Task names by the 95th percentile of their run times, greatest first." },
);

export const ReleasesQuery = Type.Object(timeRange);

export const ReleasesReply = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          release: Type.String({ description: "version of the application" }),
          first_seen: Described(Instant, "time of its first event"),
        },
        { title: "ReleaseMark", description: "A release and the time of its first event." },
      ),
      {
        description: "the newest 200, in order of time",
      },
    ),
  },
  { title: "ReleasePage", description: "Releases first seen in the range." },
);
