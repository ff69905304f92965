import { type Static, Type } from "typebox";
import { Described, Instant, NextCursor, Nullable, OneOf, PageQuery, Uuid } from "../../platform/http/schemas.ts";
import { noticeKinds } from "./kinds.ts";

export const HistoryQuery = Type.Object({
  ...PageQuery.properties,
});

const NoticePublic = Type.Object(
  {
    id: Described(Uuid, "id of the entry"),
    occurred_at: Described(Instant, "when it happened"),
    kind: OneOf(noticeKinds, { description: "what happened" }),
    source_ip: Nullable(Type.String({ description: "null unless the owner was the actor" })),
    user_agent: Nullable(Type.String({ description: "null unless the owner was the actor" })),
    details: Type.Object(
      {
        name: Type.Optional(Type.String({ description: "name of the API key or the trusted browser" })),
        prefix: Type.Optional(Type.String({ description: "first characters of the API key" })),
        by: Type.Optional(OneOf(["owner", "reset_link", "administrator", "operator"], { description: "the actor" })),
        replaced: Type.Optional(Type.Boolean({ description: "whether the second factor replaced an earlier one" })),
        api_keys_revoked: Type.Optional(Type.Integer({ description: "number of API keys revoked at the same time" })),
      },
      { description: "details, which depend on the kind" },
    ),
  },
  { title: "AccountNotice", description: "A security event of an account." },
);

export const SecurityHistoryPage = Type.Object(
  {
    items: Type.Array(NoticePublic),
    next_cursor: NextCursor,
  },
  { title: "SecurityHistoryPage", description: "One page of security events." },
);
export type SecurityHistoryPage = Static<typeof SecurityHistoryPage>;
