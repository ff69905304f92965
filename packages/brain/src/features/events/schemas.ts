import { eventKinds } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { Instant, JsonObject, Nullable, OneOf, PageQuery, timeRange, Uuid } from "../../platform/http/schemas.ts";

export const EventPublic = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    agent_id: Uuid,
    engine: Type.String(),
    task_id: Type.String({ description: "empty when the event concerns no task" }),
    kind: OneOf(eventKinds, { title: "EventKind" }),
    occurred_at: Instant,
    payload: JsonObject,
  },
  { title: "TaskEvent", description: "One step in the life of a task or a worker, as an agent reported it." },
);

export const EventQuery = Type.Object({
  ...PageQuery.properties,
  engine: Type.Optional(Type.String({ maxLength: 40, description: "only events of this engine" })),
  task_id: Type.Optional(Type.String({ maxLength: 200, description: "only events of this task" })),
  kind: Type.Optional(OneOf(eventKinds, { title: "EventKind", description: "only events of this kind" })),
  ...timeRange,
});
export type EventQuery = Static<typeof EventQuery>;

export const EventPage = Type.Object(
  { items: Type.Array(EventPublic), next_cursor: Nullable(Type.String()) },
  { title: "EventPage", description: "One page of events." },
);
