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
        "default 24; since and until replace it. Counts of more than 48 h ago are kept by the UTC hour, and the first and the last one are counted whole",
    }),
  ),
  ...timeRange,
});
export type StatsQuery = Static<typeof StatsQuery>;

const BucketWidth = OneOf(bucketNames, { title: "BucketWidth", description: "length of one part of the range" });

export const TrendsQuery = Type.Object({
  window: Type.Optional(
    OneOf(windowNames, { description: "length of the range up to now; since and until replace it" }),
  ),
  bucket: Type.Optional(
    Described(
      BucketWidth,
      "1h at least where the range begins more than 48 h ago, because older counts are kept by the hour",
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
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "most names; default 8" })),
  ...timeRange,
});
export type LatencyNamesQuery = Static<typeof LatencyNamesQuery>;

/** What `missingWorkers` counts. */
export const missingMeans =
  "workers that went offline in the last 24 h without announcing it, less those of the same engine that started since";

export const StatsReply = Type.Object(
  {
    tasks_by_state: Type.Object(
      Object.fromEntries(taskStates.map((state) => [state, Type.Integer({ description: `tasks in state ${state}` })])),
      {
        description: "tasks in each state now",
      },
    ),
    tasks_total: Type.Integer({ description: "all tasks that are kept" }),
    tasks_finished_24h: Type.Integer({
      description: "tasks that finished in the range: succeeded, failed, were revoked or rejected",
    }),
    tasks_failed_24h: Type.Integer({ description: "failures in the range" }),
    tasks_succeeded_24h: Type.Integer({ description: "successes in the range" }),
    failure_rate_24h: Type.Number({
      description: "failures of all failures and successes in the range, 0 to 1; 0 without any",
    }),
    agents_online: Type.Integer({ description: "agents that are online now" }),
    agents_offline: Type.Integer({ description: "agents that are not online now, without those that never connected" }),
    workers_online: Type.Integer({ description: "workers that are online now" }),
    workers_offline: Type.Integer({ description: "workers that are offline now" }),
    workers_missing: Type.Integer({ description: missingMeans }),
    commands_pending: Type.Integer({ description: "now, whenever they were issued" }),
    commands_dispatched: Type.Integer({ description: "now, whenever they were issued" }),
    commands_completed_24h: Type.Integer({ description: "commands of the range that completed" }),
    commands_failed_24h: Type.Integer({ description: "commands of the range that failed" }),
    commands_timeout_24h: Type.Integer({ description: "commands of the range that timed out" }),
    queue_depths: Type.Array(
      Type.Object({
        name: Type.String({ description: "name of the queue" }),
        engine: Type.String({ description: "name of the engine" }),
        pending_count: Type.Integer({ description: "tasks that wait in it, as last reported" }),
        broker_type: Nullable(Type.String(), "reserved for the kind of broker; null"),
        last_seen_at: Nullable(Instant, "time of the newest report or event that names it; null before the first"),
      }),
      { description: "the 500 deepest queues, the deepest first" },
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
    window: Type.String({ description: "the asked window, or `custom` for since and until" }),
    bucket: BucketWidth,
    series: Type.Array(
      Type.Object(
        {
          t: Described(Instant, "start of the part"),
          success: Type.Integer({ description: "tasks that succeeded" }),
          failure: Type.Integer({ description: "tasks that failed" }),
          retry: Type.Integer({ description: "retries" }),
          revoked: Type.Integer({ description: "tasks that were revoked" }),
          rejected: Type.Integer({ description: "tasks that were rejected" }),
          total: Type.Integer({ description: "all of these together: finished tasks and retries" }),
          avg_runtime_ms: Nullable(Type.Number(), "mean run time; null without any"),
        },
        { title: "TrendBucket", description: "The outcomes of one part of the range." },
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
    count: Type.Integer({ description: "values they are of" }),
  },
  { title: "Percentiles", description: "milliseconds, within 5 % of the true value" },
);
const durations = { run: Nullable(Percentiles), wait: Nullable(Percentiles) };

export const LatencyReply = Type.Object(
  {
    bucket: TrendsReply.properties.bucket,
    total: Type.Object(durations, { description: "of all buckets together" }),
    series: Type.Array(Type.Object({ t: Described(Instant, "start of the part"), ...durations }), {
      description: "parts of the range with their percentiles, oldest first",
    }),
  },
  { title: "Latency", description: "Run and wait times over time." },
);

export const LatencyNamesReply = Type.Object(
  {
    since: Type.Union([Instant], { description: "start of the first whole minute, hour or day that is counted" }),
    until: Described(Instant, "end of the range"),
    previous_since: Type.Union([Instant], { description: "the range before it goes from here to `since`" }),
    items: Type.Array(
      Type.Object({
        name: Type.String({ description: "function or job name" }),
        run: Percentiles,
        failed: Type.Integer({ description: "tasks of the name that failed in the range" }),
        previous: Nullable(Percentiles),
      }),
      { description: "the slowest first" },
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
        description: "in order of time, the newest 200 of them",
      },
    ),
  },
  { title: "ReleasePage", description: "Releases first seen in the range." },
);
