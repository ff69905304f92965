import { type Static, Type } from "typebox";
import { Instant, Nullable, OneOf } from "../../../platform/http/schemas.ts";
import { taskQueryParams } from "../schemas.ts";

export const TaskHistogramQuery = Type.Object({
  ...taskQueryParams,
  buckets: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: "at most so many parts of the range; default 60" }),
  ),
});
export type TaskHistogramQuery = Static<typeof TaskHistogramQuery>;

const Count = Type.Integer();

export const TaskHistogram = Type.Object({
  from: Type.Unsafe<Date | string>({ ...Instant, description: "start of the first bucket, at or before since" }),
  to: Instant,
  exact: Type.Boolean({
    description: "false when the time was used up; buckets that begin before reached hold too little",
  }),
  reached: Nullable(Instant),
  counted: Type.Unsafe<"events" | "tasks">({
    ...OneOf(["events", "tasks"]),
    description: "events: ends and retries at the time they happened; tasks: present states, by received_at",
  }),
  bucket_seconds: Type.Integer(),
  buckets: Type.Array(Type.Object({ t: Instant, success: Count, failure: Count, other: Count })),
});
