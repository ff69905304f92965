import { isProblem, type Me } from "@svc/client";
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { safeReturn } from "../address/paths.ts";
import { queryClient } from "../api/query-client.ts";
import { meQuery } from "../features/sessions/queries.ts";
import { FirstBones, rootRoute } from "./root-routes.tsx";

// The pages of who is not signed in, or only half: they stand without the shell.

type Raw = Record<string, unknown>;

const readNext = (search: Raw): { next?: string } =>
  typeof search.next === "string" ? { next: safeReturn(search.next) } : {};

/** Who the session belongs to as the server sees it now; leads to the sign-in without one. */
async function freshMe(next: string | undefined): Promise<Me> {
  try {
    return await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
  } catch (error) {
    if (!isProblem(error, "unauthenticated")) throw error;
    throw redirect({ to: "/login", search: next === undefined ? {} : { next } });
  }
}

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  validateSearch: (search: Raw): { next?: string; ended?: string } => ({
    ...readNext(search),
    ...(search.ended === "1" ? { ended: "1" } : {}),
  }),
  component: lazyRouteComponent(() => import("../features/sessions/LoginPage.tsx"), "LoginPage"),
  pendingComponent: FirstBones,
});

const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login/mfa",
  validateSearch: readNext,
  beforeLoad: async ({ search: { next } }) => {
    const me = await freshMe(next);
    if (!me.mfa_required) throw redirect({ href: safeReturn(next), replace: true });
  },
  component: lazyRouteComponent(() => import("../features/mfa/VerifyPage.tsx"), "VerifyPage"),
  pendingComponent: FirstBones,
});

const enrollRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login/enroll",
  validateSearch: readNext,
  beforeLoad: async ({ search }) => {
    const me = await freshMe(search.next);
    if (me.mfa_required) throw redirect({ to: "/login/mfa", search });
  },
  component: lazyRouteComponent(() => import("../features/mfa/EnrollPage.tsx"), "EnrollPage"),
  pendingComponent: FirstBones,
});

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset",
  validateSearch: () => ({}),
  component: lazyRouteComponent(() => import("../features/password-reset/RequestPage.tsx"), "RequestPage"),
  pendingComponent: FirstBones,
});

const resetConfirmRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset/confirm",
  validateSearch: () => ({}),
  component: lazyRouteComponent(() => import("../features/password-reset/ConfirmPage.tsx"), "ConfirmPage"),
  pendingComponent: FirstBones,
});

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invite",
  validateSearch: () => ({}),
  component: lazyRouteComponent(() => import("../features/invitations/InvitePage.tsx"), "InvitePage"),
  pendingComponent: FirstBones,
});

export const entryRoutes = [loginRoute, verifyRoute, enrollRoute, resetRoute, resetConfirmRoute, inviteRoute] as const;
