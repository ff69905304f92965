import { type Static, Type } from "typebox";
import {
  Described,
  Instant,
  JsonObject,
  NextCursor,
  Nullable,
  ProjectId,
  ProjectParams,
  timeRange,
  Uuid,
} from "../../platform/http/schemas.ts";

export const QueuePublic = Type.Object(
  {
    id: Described(Uuid, "id of the row"),
    project_id: ProjectId,
    name: Type.String({ description: "name that the engine gives it" }),
    engine: Type.String({ description: "name of the engine" }),
    broker_type: Nullable(Type.String(), "reserved for the kind of broker; null"),
    broker_url_hint: Nullable(Type.String(), "reserved for the address of the broker; null"),
    last_seen_at: Nullable(Instant, "time of the newest report or event that names it; null before the first"),
    pending_count: Type.Integer({ description: "waiting tasks, as last reported" }),
    consumer_count: Type.Integer({ description: "consumers, as last reported" }),
    oldest_waiting_since: Nullable(
      Instant,
      "when its oldest waiting task began to wait; null when none waits, or when not reported",
    ),
    depth_reported_at: Nullable(
      Type.Unsafe<Date | string>({
        ...Instant,
        description: "when pending_count was reported; null when it never was",
      }),
    ),
    consumers_reported_at: Nullable(
      Type.Unsafe<Date | string>({
        ...Instant,
        description: "when consumer_count was reported; null when it never was",
      }),
    ),
    metadata: Described(
      JsonObject,
      "`paused`, `paused_since`, `limited_until`: why it does not start tasks; empty otherwise",
    ),
    created_at: Described(Instant, "when the service first saw it"),
  },
  { title: "Queue", description: "A named line of waiting tasks in an engine." },
);

export const QueuePage = Type.Object(
  { items: Type.Array(QueuePublic), next_cursor: NextCursor },
  { title: "QueuePage", description: "One page of queues." },
);

export const QueueParams = Type.Object({
  ...ProjectParams.properties,
  engine: Type.String({ description: "name of the engine", examples: ["bullmq"] }),
  name: Type.String({ description: "name of the queue", examples: ["emails"] }),
});

export const ActivityQuery = Type.Object({
  minutes: Type.Integer({ default: 60, minimum: 5, maximum: 60, description: "how far back, by whole UTC minutes" }),
  engine: Type.Optional(Type.String({ maxLength: 40, description: "only queues of this engine" })),
  name: Type.Optional(Type.String({ maxLength: 200, description: "only the queue of this name" })),
});
export type ActivityQuery = Static<typeof ActivityQuery>;

const count = (description: string) => Type.Integer({ description });

export const QueueActivityReply = Type.Object(
  {
    from: Described(Instant, "start of the counted minutes"),
    to: Described(Instant, "end of the counted minutes"),
    step_seconds: Type.Integer({ description: "width of a step of `pending`; the first step contains `from`" }),
    truncated: Type.Boolean({ description: "true when there are more queues than shown" }),
    items: Type.Array(
      Type.Object(
        {
          queue_id: Described(Uuid, "id of the queue's row"),
          engine: Type.String({ description: "name of the engine" }),
          name: Type.String({ description: "name of the queue" }),
          entered: count("tasks that were sent"),
          started: count("runs that began"),
          ended: count("tasks that succeeded, failed, were revoked or rejected"),
          failed: Type.Integer({ description: "tasks that failed" }),
          pending: Type.Array(Nullable(Type.Integer()), {
            description: "highest depth per step; null where none was reported",
          }),
        },
        { title: "QueueActivity", description: "What entered and left one queue." },
      ),
    ),
  },
  { title: "QueueActivities", description: "What entered and left the queues in the requested minutes." },
);

export const DepthsQuery = Type.Object({
  ...timeRange,
});
export type DepthsQuery = Static<typeof DepthsQuery>;

export const QueueDepthsReply = Type.Object(
  {
    from: Described(Instant, "start of the range"),
    to: Described(Instant, "end of the range"),
    kept_from: Type.Unsafe<Date | string>({ ...Instant, description: "start of the retention; nothing older is kept" }),
    step_seconds: Type.Integer({ description: "width of a step" }),
    series: Type.Array(
      Type.Object({
        t: Described(Instant, "start of the step"),
        pending: count("highest depth reported in the step"),
        consumers: count("consumers as last reported in the step"),
      }),
      { description: "steps in which depths were reported, oldest first" },
    ),
  },
  { title: "QueueDepths", description: "The depths of a queue over time." },
);
