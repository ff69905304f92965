import { type Static, Type } from "typebox";
import { InstantText, JsonObject, Nullable, OneOf, PageQuery, Uuid } from "../../platform/http/schemas.ts";

/** An instant with six decimals, as the chain signs it. */
const AuditInstant = Type.String({ format: "date-time", description: "UTC with six decimals" });

const common = {
  id: Uuid,
  project_id: Nullable(Uuid),
  user_id: Nullable(Uuid),
  action: Type.String(),
  target_type: Type.String(),
  target_id: Nullable(Type.String()),
  result: Type.String(),
  outcome: Nullable(Type.String()),
  metadata: JsonObject,
  source_ip: Nullable(Type.String({ description: "null for callers who are not global admins" })),
  occurred_at: AuditInstant,
};

export const AuditRow = Type.Object({
  ...common,
  event_id: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
});
export type AuditRow = Static<typeof AuditRow>;

export const exportFormats = ["csv", "json", "xlsx"] as const;

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  action_prefix: Type.Optional(Type.String({ maxLength: 80, description: "literal beginning of the action" })),
  outcome: Type.Optional(Type.String({ maxLength: 20 })),
  user_id: Type.Optional(Uuid),
  target_id: Type.Optional(Type.String({ maxLength: 200, description: "what was acted on, such as a command" })),
  since: Type.Optional(InstantText),
  until: Type.Optional(InstantText),
  format: Type.Optional(OneOf(exportFormats)),
  fields: Type.Optional(Type.String({ maxLength: 400, description: "columns of an export, by comma" })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object({ items: Type.Array(AuditRow), next_cursor: Nullable(Type.String()) });
export type AuditPage = Static<typeof AuditPage>;

export const ActivityRow = Type.Object({ ...common, project_slug: Nullable(Type.String()) });

export const ActivityFeedQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ description: "1 to 200, default 50; 0 or less means the default, more is clamped" }),
  ),
  since_cursor: Type.Optional(Type.String({ description: "only rows newer than this `<iso>|<id>`" })),
  before_cursor: Type.Optional(Type.String({ description: "only rows older than this `<iso>|<id>`" })),
  project_slug: Type.Optional(Type.String({ maxLength: 200 })),
  action_prefix: Type.Optional(Type.String({ maxLength: 80, description: "literal beginning of the action" })),
});
export type ActivityFeedQuery = Static<typeof ActivityFeedQuery>;

export const ActivityFeedPage = Type.Object({
  items: Type.Array(ActivityRow),
  next_before_cursor: Nullable(Type.String()),
  newest_cursor: Nullable(Type.String()),
});
export type ActivityFeedPage = Static<typeof ActivityFeedPage>;
