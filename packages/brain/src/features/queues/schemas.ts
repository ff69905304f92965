import { type Static, Type } from "typebox";
import { Instant, JsonObject, Nullable, ProjectParams, timeRange, Uuid } from "../../platform/http/schemas.ts";

export const QueuePublic = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    name: Type.String(),
    engine: Type.String(),
    broker_type: Nullable(Type.String()),
    broker_url_hint: Nullable(Type.String({ description: "where the broker is, without credentials" })),
    last_seen_at: Nullable(Instant),
    pending_count: Type.Integer(),
    consumer_count: Type.Integer(),
    oldest_waiting_since: Nullable(Instant),
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
    metadata: JsonObject,
    created_at: Instant,
  },
  { title: "Queue", description: "A named line of waiting tasks in an engine." },
);

export const QueuePage = Type.Object(
  { items: Type.Array(QueuePublic), next_cursor: Nullable(Type.String()) },
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
    from: Instant,
    to: Instant,
    step_seconds: Type.Integer({ description: "width of a step of `pending`, whose first one holds `from`" }),
    truncated: Type.Boolean({ description: "more queues exist than are shown" }),
    items: Type.Array(
      Type.Object(
        {
          queue_id: Uuid,
          engine: Type.String(),
          name: Type.String(),
          entered: count("tasks that were sent"),
          started: count("runs that began"),
          ended: count("tasks that succeeded, failed, were revoked or rejected"),
          failed: Type.Integer(),
          pending: Type.Array(Nullable(Type.Integer()), {
            description: "greatest depth per step; null where none was reported",
          }),
        },
        { title: "QueueActivity", description: "What entered and left one queue." },
      ),
    ),
  },
  { title: "QueueActivities", description: "What entered and left the queues within the asked minutes." },
);

export const DepthsQuery = Type.Object({
  ...timeRange,
});
export type DepthsQuery = Static<typeof DepthsQuery>;

export const QueueDepthsReply = Type.Object(
  {
    from: Instant,
    to: Instant,
    kept_from: Type.Unsafe<Date | string>({ ...Instant, description: "nothing older is kept" }),
    step_seconds: Type.Integer(),
    series: Type.Array(
      Type.Object({
        t: Instant,
        pending: count("the greatest that was reported in the step"),
        consumers: count("as last reported in it"),
      }),
      { description: "steps in which depths were reported, oldest first" },
    ),
  },
  { title: "QueueDepths", description: "The depths of a queue over time." },
);
