import type { Member, ProjectRole } from "@svc/client";

/** The roles of a project, from least to most access. */
export const roles: readonly { role: ProjectRole; means: string }[] = [
  { role: "viewer", means: "views tasks, queues, workers, agents and members" },
  { role: "auditor", means: "viewer, plus the audit log; read-only" },
  { role: "operator", means: "viewer, plus retrying, cancelling and controlling workers" },
  {
    role: "admin",
    means: "operator, plus purging queues, deleting tasks, the audit log, settings, members and agents",
  },
];

/** Why a member cannot be demoted or removed; null when nothing known here prevents it. */
export function lastAdminGuard(member: Member, members: readonly Member[]): string | null {
  if (member.role !== "admin" || members.some((one) => one.role === "admin" && one.id !== member.id)) return null;
  return "The project's last admin. Make someone else admin first.";
}

const refusals: Readonly<Record<string, string>> = {
  last_project_admin: "The project would have no admin with an active account. Make someone else admin first.",
  already_member: "This account already has a role in the project.",
  project_archived: "The project is archived. Restore it first.",
};

/** The message for a conflict over a member; null for an unknown reason. */
export function memberRefusal(reason: string | null): string | null {
  return reason === null ? null : (refusals[reason] ?? null);
}
