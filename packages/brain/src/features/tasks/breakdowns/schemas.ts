import { type Static, Type } from "typebox";
import { Described, Instant, Nullable, OneOf, timeRange } from "../../../platform/http/schemas.ts";
import { taskQueryParams } from "../schemas.ts";

export const columnFields = ["state", "priority", "name", "queue", "worker", "engine"] as const;
export type ColumnField = (typeof columnFields)[number];
const payloadFields = ["args", "kwargs", "result"] as const;
const FacetField = OneOf([...columnFields, ...payloadFields], {
  title: "FacetField",
  description:
    "field whose values are counted; for args, kwargs and result, the paths in the payloads of the newest 200 matching tasks, such as `user.id`",
});
export type FacetField = Static<typeof FacetField>;

export const FacetQuery = Type.Object({
  field: Described(FacetField, "field whose values are counted"),
  prefix: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "literal, case-sensitive prefix of the values; for autocompletion",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: "number of values, greatest count first; default 20" }),
  ),
  ...taskQueryParams,
});
export type FacetQuery = Static<typeof FacetQuery>;

export const Facet = Type.Object(
  {
    field: FacetField,
    values: Type.Array(
      Type.Object({
        value: Type.String({ description: "value of the field, or path below it" }),
        count: Type.Integer({ description: "a lower bound when exact is false" }),
        exact: Type.Boolean({
          description: "false when the count stopped at 10,000, ran out of time, or comes from a sample",
        }),
      }),
      { description: "most frequent first" },
    ),
  },
  { title: "Facet", description: "The values of a field with their counts." },
);

export const TaskHistogramQuery = Type.Object({
  ...taskQueryParams,
  buckets: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: "maximum number of parts; default 60" }),
  ),
});
export type TaskHistogramQuery = Static<typeof TaskHistogramQuery>;

const count = (description: string) => Type.Integer({ description });

export const TaskHistogram = Type.Object(
  {
    from: Type.Unsafe<Date | string>({
      ...Instant,
      description: "start of the first bucket, which may be before `since`",
    }),
    to: Described(Instant, "end of the range"),
    exact: Type.Boolean({
      description: "false when counting ran out of time; buckets that start before `reached` are incomplete",
    }),
    reached: Nullable(Instant, "oldest time that was counted; null when complete"),
    counted: Type.Unsafe<"events" | "tasks">({
      ...OneOf(["events", "tasks"]),
      description:
        "events: finished and retried tasks at the time of the event; tasks: the tasks of the list, in their current state, by received_at",
    }),
    bucket_seconds: Type.Integer({ description: "width of a bucket" }),
    buckets: Type.Array(
      Type.Object({
        t: Described(Instant, "start of the bucket"),
        success: count("successes"),
        failure: count("failures"),
        other: count("all other counted tasks"),
      }),
      {
        description: "oldest first",
      },
    ),
  },
  { title: "TaskHistogram", description: "Counts of tasks over time." },
);

export const DifferencesQuery = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "exact task name; alternative to fingerprint" }),
  ),
  fingerprint: Type.Optional(
    Type.String({ pattern: "^[0-9a-f]{32}$", description: "fingerprint of failures; alternative to name" }),
  ),
  ...timeRange,
});
export type DifferencesQuery = Static<typeof DifferencesQuery>;

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const Differences = Type.Object(
  {
    span: Type.Object(
      { from: Described(Instant, "start of the span"), to: Described(Instant, "end of the span") },
      { description: "time span of both sides" },
    ),
    per_hour_cap: Type.Integer({
      description: "maximum tasks per side and hour: a 24th of 2000 when the span is longer than two hours",
    }),
    failed: Type.Integer({ description: "failed tasks that were compared, at most 2000" }),
    passed: Type.Integer({ description: "passed tasks of the same names that were compared, at most 2000" }),
    sampled: Type.Boolean({
      description: "whether the span has more tasks on either side; then an even sample over its hours is compared",
    }),
    releases: Type.Integer({ description: "number of distinct releases among the compared tasks" }),
    release_overlap: Type.Boolean({
      description: "whether more than one release ran in some hour; releases are compared only over such hours",
    }),
    attributes: Type.Array(
      Type.Object({
        field: Type.String({
          description: "worker, queue, priority, release, args.… or kwargs.…",
        }),
        value: Type.String({ description: "value of the field" }),
        failed_share: share(
          "share of the failed tasks that have it; for a release, of those in hours with more than one release",
        ),
        passed_share: share(
          "share of the passed tasks that have it; for a release, of those in hours with more than one release",
        ),
      }),
      {
        description:
          "values in at least 5 failed tasks with a gap of at least 20 points; greatest difference first, at most 10",
      },
    ),
  },
  {
    title: "TaskDifferences",
    description: "Values that differ between failed and passed tasks of the same names in the same time span.",
  },
);
