import { type Static, Type } from "typebox";
import { IdOf, Instant, Nullable, OneOf, ProjectParams, Uuid } from "../../platform/http/schemas.ts";

export const roles = ["viewer", "operator", "admin", "auditor"] as const;

export const Member = Type.Object(
  {
    id: Uuid,
    user_id: Uuid,
    project_id: Uuid,
    user_email: Type.String(),
    user_display_name: Nullable(Type.String()),
    role: OneOf(roles, { title: "ProjectRole" }),
    created_at: Instant,
  },
  { title: "Member", description: "A member of a project." },
);
export type Member = Static<typeof Member>;

export const MemberList = Type.Object(
  { items: Type.Array(Member) },
  { title: "MemberPage", description: "All members of a project." },
);

/** A membership as its user sees it. */
export const OwnMembership = Type.Object(
  {
    project_id: Uuid,
    project_slug: Type.String(),
    project_name: Type.String(),
    role: OneOf(roles, { title: "ProjectRole" }),
  },
  { title: "MembershipSummary", description: "A membership as its user sees it." },
);
export type OwnMembership = Static<typeof OwnMembership>;

export const MembershipParams = Type.Object({ ...ProjectParams.properties, membership_id: IdOf("membership") });

/** A role that is none is a conflict, not a 422 (spec part 3, section 5.4), so the decision judges it. */
const RoleName = Type.String({ maxLength: 40, description: roles.join(", ") });

export const GrantBody = Type.Object({ user_id: Uuid, role: RoleName }, { title: "MemberAdd" });

export const RoleBody = Type.Object({ role: RoleName }, { title: "MemberChanges" });
