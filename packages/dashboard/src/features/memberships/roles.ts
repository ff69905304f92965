import type { Member, ProjectRole } from "@svc/client";

/** What each role of a project is for, the smallest first. */
export const roles: readonly { role: ProjectRole; means: string }[] = [
  { role: "viewer", means: "looks at tasks, queues, workers, agents and who belongs to the project" },
  { role: "auditor", means: "viewer, and the audit trail; changes nothing" },
  { role: "operator", means: "viewer, and acts: retries, cancels, controls workers" },
  { role: "admin", means: "operator, and changes everything of the project, its members and agents" },
];

/** Why the role of a member cannot be taken away; null when nothing that is known here speaks against it. */
export function lastAdminGuard(member: Member, members: readonly Member[]): string | null {
  if (member.role !== "admin" || members.some((one) => one.role === "admin" && one.id !== member.id)) return null;
  return "The last admin of the project. Make somebody else admin first.";
}

const refusals: Readonly<Record<string, string>> = {
  last_project_admin: "Nobody with an active account would be left as admin. Make somebody else admin first.",
  already_member: "This account has a role in the project already.",
  project_archived: "The project is archived. Restore it first.",
};

/** What a conflict over a member means; null for a reason that is not known here. */
export function memberRefusal(reason: string | null): string | null {
  return reason === null ? null : (refusals[reason] ?? null);
}
