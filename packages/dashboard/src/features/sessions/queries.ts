import type { Me, ProjectRole } from "@svc/client";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { serverTimeAt } from "../../live/server-clock.ts";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => api.getMe({ signal }),
  staleTime: 60_000,
  // The route asks this first and leads to the sign-in itself, without claiming that a session has ended.
  meta: { quiet: true },
});

export const setupStatusQuery = queryOptions({
  queryKey: ["setup-status"],
  queryFn: ({ signal }) => api.getSetupStatus({ signal }),
  retry: false,
  meta: { quiet: true },
});

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** The role in one project; instance admins act as admin everywhere. Null when not a member. */
export function roleIn(me: Me, slug: string): ProjectRole | null {
  if (me.is_admin) return "admin";
  return me.memberships.find((membership) => membership.project_slug === slug)?.role ?? null;
}

/** Auditors and admins read the audit trail of a project. */
const auditRoles: readonly (ProjectRole | null)[] = ["auditor", "admin"];

export function useMayAudit(slug: string): boolean {
  return auditRoles.includes(roleIn(useMe(), slug));
}

export function useIsProjectAdmin(slug: string): boolean {
  return roleIn(useMe(), slug) === "admin";
}

/** Whether the session can do nothing any more but set up a second factor. */
export function isEnrollmentOverdue({ mfa_enrollment_required, mfa_enrollment_deadline }: Me): boolean {
  if (!mfa_enrollment_required || !mfa_enrollment_deadline) return false;
  return Date.parse(mfa_enrollment_deadline) <= serverTimeAt(Date.now());
}
