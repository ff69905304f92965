import { ApiProblem, type Me, type ProjectRole } from "@svc/client";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { queryClient } from "../../api/query-client.ts";
import { serverTimeAt } from "../../live/server-clock.ts";

/** Whether there may be a session. Its own cookie is HTTP-only; the readable one is set and cleared with it. */
export const maybeSignedIn = (): boolean => document.cookie.includes("svc_csrf=");

export const meQuery = queryOptions({
  queryKey: ["me"],
  async queryFn({ signal }) {
    if (maybeSignedIn()) return await api.getMe({ signal });
    throw new ApiProblem({ code: "unauthenticated", status: 401, message: "no session" });
  },
  staleTime: 60_000,
  // The route checks this first and redirects to the sign-in without saying that a session has ended.
  meta: { quiet: true },
});

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** Starts reads that need a permission, once the user is known. If that read fails, the route reports it. */
export async function readAs(may: (me: Me) => boolean, read: () => Promise<unknown>): Promise<void> {
  const me = await queryClient.ensureQueryData(meQuery).catch(() => null);
  if (me !== null && may(me)) await read();
}

/** The role in one project; instance admins act as admin everywhere. Null when not a member. */
export function roleIn(me: Me, slug: string): ProjectRole | null {
  if (me.is_admin) return "admin";
  return me.memberships.find((membership) => membership.project_slug === slug)?.role ?? null;
}

/** Operators and admins send commands to agents and see those of others. */
export const mayOperate = (me: Me, slug: string): boolean => ["operator", "admin"].includes(roleIn(me, slug) ?? "");

/** Auditors and admins read the audit log of a project. */
const auditRoles: readonly (ProjectRole | null)[] = ["auditor", "admin"];

export const mayAudit = (me: Me, slug: string): boolean => auditRoles.includes(roleIn(me, slug));

export function useMayAudit(slug: string): boolean {
  return mayAudit(useMe(), slug);
}

export function useIsProjectAdmin(slug: string): boolean {
  return roleIn(useMe(), slug) === "admin";
}

/** Whether the session may only set up a second factor. @param nowMs by the server's clock. */
export function isEnrollmentOverdue(
  { mfa_enrollment_required, mfa_enrollment_deadline }: Me,
  nowMs = serverTimeAt(Date.now()),
): boolean {
  if (!mfa_enrollment_required || !mfa_enrollment_deadline) return false;
  return Date.parse(mfa_enrollment_deadline) <= nowMs;
}
