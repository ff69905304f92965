import { eventKinds } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { Instant, InstantText, JsonObject, Nullable, OneOf, PageQuery, Uuid } from "../../platform/http/schemas.ts";

export const EventPublic = Type.Object({
  id: Uuid,
  project_id: Uuid,
  agent_id: Uuid,
  engine: Type.String(),
  task_id: Type.String({ description: "empty when the event concerns no task" }),
  kind: OneOf(eventKinds),
  occurred_at: Instant,
  payload: JsonObject,
});

export const EventQuery = Type.Object({
  ...PageQuery.properties,
  engine: Type.Optional(Type.String({ maxLength: 40 })),
  task_id: Type.Optional(Type.String({ maxLength: 200 })),
  kind: Type.Optional(OneOf(eventKinds)),
  since: Type.Optional(InstantText),
  until: Type.Optional(InstantText),
});
export type EventQuery = Static<typeof EventQuery>;

export const EventPage = Type.Object({ items: Type.Array(EventPublic), next_cursor: Nullable(Type.String()) });
