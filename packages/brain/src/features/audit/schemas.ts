import { type Static, Type } from "typebox";
import { JsonObject, Nullable, OneOf, PageQuery, timeRange, Uuid } from "../../platform/http/schemas.ts";

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

export const AuditRow = Type.Object(
  {
    ...common,
    event_id: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
  },
  { title: "AuditRow", description: "One row of the audit log." },
);
export type AuditRow = Static<typeof AuditRow>;

export const exportFormats = ["csv", "json", "xlsx"] as const;

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  action_prefix: Type.Optional(Type.String({ maxLength: 80, description: "literal beginning of the action" })),
  outcome: Type.Optional(
    Type.String({ maxLength: 20, description: "only rows with this outcome, such as allow or deny" }),
  ),
  user_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: "only rows of this user" })),
  target_id: Type.Optional(Type.String({ maxLength: 200, description: "what was acted on, such as a command" })),
  ...timeRange,
  format: Type.Optional(OneOf(exportFormats, { description: "export all matching rows instead of a page" })),
  fields: Type.Optional(Type.String({ maxLength: 400, description: "columns of an export, by comma" })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object(
  { items: Type.Array(AuditRow), next_cursor: Nullable(Type.String()) },
  { title: "AuditPage", description: "One page of audit rows." },
);
export type AuditPage = Static<typeof AuditPage>;

export const ActivityRow = Type.Object(
  { ...common, project_slug: Nullable(Type.String()) },
  { title: "ActivityRow", description: "One row of the audit log, with the slug of its project." },
);

export const ActivityFeedQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ description: "1 to 200, default 50; 0 or less means the default, more is clamped" }),
  ),
  since_cursor: Type.Optional(Type.String({ description: "only rows newer than this `<iso>|<id>`" })),
  before_cursor: Type.Optional(Type.String({ description: "only rows older than this `<iso>|<id>`" })),
  project_slug: Type.Optional(
    Type.String({ maxLength: 200, description: "only rows of this project; an unknown one gives an empty page" }),
  ),
  action_prefix: Type.Optional(Type.String({ maxLength: 80, description: "literal beginning of the action" })),
});
export type ActivityFeedQuery = Static<typeof ActivityFeedQuery>;

export const ActivityFeedPage = Type.Object(
  {
    items: Type.Array(ActivityRow),
    next_before_cursor: Nullable(Type.String()),
    newest_cursor: Nullable(Type.String()),
  },
  { title: "ActivityPage", description: "One page of activity." },
);
export type ActivityFeedPage = Static<typeof ActivityFeedPage>;
