import { type Static, Type } from "typebox";
import {
  Described,
  JsonObject,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
  timeRange,
  Uuid,
} from "../../platform/http/schemas.ts";

/** An instant with six decimals, as the chain signs it. */
const AuditInstant = Type.String({ format: "date-time", description: "UTC with six decimals" });

const common = {
  id: Described(Uuid, "id of the row"),
  project_id: Nullable(Uuid, "project of the action; null for the instance"),
  user_id: Nullable(Uuid, "who acted; null for other actors and deleted accounts"),
  action: Type.String({ description: "the action, such as `agent.token.minted`" }),
  target_type: Type.String({ description: "type of the target, such as agent" }),
  target_id: Nullable(Type.String(), "id of the target; null without one"),
  result: Type.String({ description: "success, or how it failed" }),
  outcome: Nullable(Type.String(), "allow or deny, or another short word for the outcome; null without one"),
  metadata: Described(JsonObject, "further details, which depend on the action"),
  source_ip: Nullable(Type.String({ description: "null for callers who are not instance administrators" })),
  occurred_at: AuditInstant,
};

export const AuditRow = Type.Object(
  {
    ...common,
    event_id: Nullable(Type.String(), "id of the event that caused it; null without one"),
    user_agent: Nullable(Type.String(), "client program of the request; null without one"),
  },
  { title: "AuditRow", description: "One row of the audit log." },
);
export type AuditRow = Static<typeof AuditRow>;

export const exportFormats = ["csv", "json", "xlsx"] as const;

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  action_prefix: Type.Optional(Type.String({ maxLength: 80, description: "literal prefix of the action" })),
  outcome: Type.Optional(
    Type.String({ maxLength: 20, description: "only rows with this outcome, such as allow or deny" }),
  ),
  user_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: "only rows of this user" })),
  target_id: Type.Optional(Type.String({ maxLength: 200, description: "id of the target, such as a command" })),
  ...timeRange,
  format: Type.Optional(OneOf(exportFormats, { description: "export all matching rows instead of a page" })),
  fields: Type.Optional(Type.String({ maxLength: 400, description: "columns of an export, separated by commas" })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object(
  { items: Type.Array(AuditRow), next_cursor: NextCursor },
  { title: "AuditPage", description: "One page of audit rows." },
);
export type AuditPage = Static<typeof AuditPage>;

export const ActivityRow = Type.Object(
  { ...common, project_slug: Nullable(Type.String(), "slug of the project; null without one") },
  { title: "ActivityRow", description: "One row of the audit log, with the slug of its project." },
);

export const ActivityFeedQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ description: "1 to 200, default 50; values below 1 mean the default, above 200 mean 200" }),
  ),
  since_cursor: Type.Optional(Type.String({ description: "only rows newer than this `<iso>|<id>`" })),
  before_cursor: Type.Optional(Type.String({ description: "only rows older than this `<iso>|<id>`" })),
  project_slug: Type.Optional(
    Type.String({ maxLength: 200, description: "only rows of this project; an unknown one gives an empty page" }),
  ),
  action_prefix: Type.Optional(Type.String({ maxLength: 80, description: "literal prefix of the action" })),
});
export type ActivityFeedQuery = Static<typeof ActivityFeedQuery>;

export const ActivityFeedPage = Type.Object(
  {
    items: Type.Array(ActivityRow),
    next_before_cursor: Nullable(Type.String(), "pass it as `before_cursor` to get older rows; null on the last page"),
    newest_cursor: Nullable(Type.String(), "pass it as `since_cursor` to get newer rows; null without rows"),
  },
  { title: "ActivityPage", description: "One page of activity." },
);
export type ActivityFeedPage = Static<typeof ActivityFeedPage>;
