import { Type } from "typebox";
import { Instant, JsonObject, Nullable, Uuid } from "../../platform/http/schemas.ts";

export const QueuePublic = Type.Object({
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
  metadata: JsonObject,
  created_at: Instant,
});

export const QueuePage = Type.Object({ items: Type.Array(QueuePublic), next_cursor: Nullable(Type.String()) });
