import { type Static, Type } from "typebox";
import { Described, Instant, Nullable, OneOf, timeRange } from "../../../platform/http/schemas.ts";
import { taskQueryParams } from "../schemas.ts";

export const columnFields = ["state", "priority", "name", "queue", "worker", "engine"] as const;
export type ColumnField = (typeof columnFields)[number];
const payloadFields = ["args", "kwargs", "result"] as const;
const FacetField = OneOf([...columnFields, ...payloadFields], {
  title: "FacetField",
  description:
    "a field of tasks whose values are counted; of args, kwargs and result the paths in the payloads of the newest 200 matching tasks, such as `user.id`",
});
export type FacetField = Static<typeof FacetField>;

export const FacetQuery = Type.Object({
  field: Described(FacetField, "the field whose values are counted"),
  prefix: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "literal beginning of the values, with case; for completing what is typed",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: "values, the greatest first; default 20" }),
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
          description: "false when the count was cut at 10,000, ran out of time, or is that of a sample",
        }),
      }),
      { description: "the most frequent first" },
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
    from: Type.Unsafe<Date | string>({ ...Instant, description: "start of the first bucket, at or before since" }),
    to: Described(Instant, "end of the range"),
    exact: Type.Boolean({
      description: "false when the time was used up; buckets that begin before reached hold too little",
    }),
    reached: Nullable(Instant, "how far back the counting came; null when it is complete"),
    counted: Type.Unsafe<"events" | "tasks">({
      ...OneOf(["events", "tasks"]),
      description:
        "events: finished and retried tasks at the time of the event; tasks: the tasks of the list, in their present state, by received_at",
    }),
    bucket_seconds: Type.Integer({ description: "width of a bucket" }),
    buckets: Type.Array(
      Type.Object({
        t: Described(Instant, "start of the bucket"),
        success: count("successes"),
        failure: count("failures"),
        other: count("everything else that was counted"),
      }),
      {
        description: "oldest first",
      },
    ),
  },
  { title: "TaskHistogram", description: "Counts of tasks over time." },
);

export const DifferencesQuery = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "exact task name; or fingerprint" })),
  fingerprint: Type.Optional(Type.String({ pattern: "^[0-9a-f]{32}$", description: "of failures; or name" })),
  ...timeRange,
});
export type DifferencesQuery = Static<typeof DifferencesQuery>;

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const Differences = Type.Object(
  {
    span: Type.Object(
      { from: Described(Instant, "start of the span"), to: Described(Instant, "end of the span") },
      { description: "the time span that both sides are taken from" },
    ),
    per_hour_cap: Type.Integer({
      description:
        "maximum number of tasks of one side from one hour: a 24th of 2000 when the span is longer than two hours",
    }),
    failed: Type.Integer({ description: "failed tasks that were compared, 2000 at most" }),
    passed: Type.Integer({ description: "passed tasks of the same names that were compared, 2000 at most" }),
    sampled: Type.Boolean({
      description: "whether the span has more of either; those compared are then even over its hours",
    }),
    releases: Type.Integer({ description: "different releases among the tasks that were compared" }),
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
          "of the failed tasks that have it; for a release, of those in hours with more than one release",
        ),
        passed_share: share(
          "of the passed tasks that have it; for a release, of those in hours with more than one release",
        ),
      }),
      {
        description:
          "shares that differ by 20 points, of at least 5 failed tasks; the greatest difference first, 10 at most",
      },
    ),
  },
  {
    title: "TaskDifferences",
    description: "Values that differ between failed and passed tasks of the same names in the same time span.",
  },
);
