import { eventKinds } from "@svc/protocol";
import { type Static, Type } from "typebox";
import {
  Described,
  Instant,
  JsonObject,
  NextCursor,
  OneOf,
  PageQuery,
  ProjectId,
  timeRange,
  Uuid,
} from "../../platform/http/schemas.ts";

const EventKind = OneOf(eventKinds, {
  title: "EventKind",
  description: "what happened to a task, worker, queue or schedule; unknown: a kind that this version does not support",
});

export const EventPublic = Type.Object(
  {
    id: Described(
      Uuid,
      "id of the event: from the agent, or derived from its content when that id is missing or invalid",
    ),
    project_id: ProjectId,
    agent_id: Described(Uuid, "agent that reported it"),
    engine: Type.String({ description: "name of the engine" }),
    task_id: Type.String({ description: "id that the engine gave the task; empty when the event is not about a task" }),
    kind: EventKind,
    occurred_at: Described(Instant, "when it happened, by the clock of the engine or agent"),
    payload: Described(JsonObject, "payload of the event as reported by the agent, redacted"),
  },
  { title: "TaskEvent", description: "One step in the life of a task or a worker, as an agent reported it." },
);

export const EventQuery = Type.Object({
  ...PageQuery.properties,
  engine: Type.Optional(Type.String({ maxLength: 40, description: "only events of this engine" })),
  task_id: Type.Optional(Type.String({ maxLength: 200, description: "only events of this task" })),
  kind: Type.Optional(Described(EventKind, "only events of this kind")),
  ...timeRange,
});
export type EventQuery = Static<typeof EventQuery>;

export const EventPage = Type.Object(
  { items: Type.Array(EventPublic), next_cursor: NextCursor },
  { title: "EventPage", description: "One page of events." },
);
