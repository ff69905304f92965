import { type Static, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  Nullable,
  OneOf,
  ProjectId,
  ProjectParams,
  Uuid,
} from "../../platform/http/schemas.ts";

export const roles = ["viewer", "operator", "admin", "auditor"] as const;

export const ProjectRole = OneOf(roles, {
  title: "ProjectRole",
  description:
    "viewer reads; operator also sends commands; admin also manages the project; auditor reads, the audit log included",
});

export const Member = Type.Object(
  {
    id: Described(Uuid, "id of the membership"),
    user_id: Described(Uuid, "id of the account"),
    project_id: ProjectId,
    user_email: Type.String({ description: "address of the account" }),
    user_display_name: Nullable(Type.String(), "name of the user shown to others; null without one"),
    role: ProjectRole,
    created_at: Described(Instant, "when the membership was created"),
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
    project_id: Described(Uuid, "id of the project"),
    project_slug: Type.String({ description: "slug of the project" }),
    project_name: Type.String({ description: "name of the project shown to people" }),
    role: ProjectRole,
  },
  { title: "MembershipSummary", description: "A membership as its user sees it." },
);
export type OwnMembership = Static<typeof OwnMembership>;

export const MembershipParams = Type.Object({ ...ProjectParams.properties, membership_id: IdOf("membership") });

/** An unknown role is a conflict, not a 422, so the decision checks it. */
const RoleName = Type.String({ maxLength: 40, description: roles.join(", ") });

export const GrantBody = Type.Object(
  { user_id: Described(Uuid, "id of the account"), role: RoleName },
  { title: "MemberAdd" },
);

export const RoleBody = Type.Object({ role: RoleName }, { title: "MemberChanges" });
