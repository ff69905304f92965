import { type Static, Type } from "typebox";
import { Nullable, OneOf, Uuid } from "../../platform/http/schemas.ts";

const roles = ["viewer", "operator", "admin", "auditor"] as const;

export const Member = Type.Object({
  id: Uuid,
  user_id: Uuid,
  project_id: Uuid,
  user_email: Type.String(),
  user_display_name: Nullable(Type.String()),
  role: OneOf(roles),
  created_at: Type.String({ format: "date-time" }),
});
export type Member = Static<typeof Member>;

export const MemberList = Type.Object({ items: Type.Array(Member) });

/** A membership as its user sees it. */
export const OwnMembership = Type.Object({
  project_id: Uuid,
  project_slug: Type.String(),
  project_name: Type.String(),
  role: OneOf(roles),
});
export type OwnMembership = Static<typeof OwnMembership>;
