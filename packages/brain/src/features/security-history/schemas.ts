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
    source_ip: Nullable(Type.String({ description: "null unless the owner did it" })),
    user_agent: Nullable(Type.String({ description: "null unless the owner did it" })),
    details: Type.Object(
      {
        name: Type.Optional(Type.String({ description: "of the API key or the trusted browser" })),
        prefix: Type.Optional(Type.String({ description: "first characters of the API key" })),
        by: Type.Optional(OneOf(["owner", "reset_link", "administrator", "operator"], { description: "who did it" })),
        replaced: Type.Optional(Type.Boolean({ description: "the second factor took the place of another one" })),
        api_keys_revoked: Type.Optional(Type.Integer({ description: "API keys that were revoked with it" })),
      },
      { description: "facts of the kind" },
    ),
  },
  { title: "AccountNotice", description: "Something that happened to an account." },
);

export const SecurityHistoryPage = Type.Object(
  {
    items: Type.Array(NoticePublic),
    next_cursor: NextCursor,
  },
  { title: "SecurityHistoryPage", description: "One page of security events." },
);
export type SecurityHistoryPage = Static<typeof SecurityHistoryPage>;
