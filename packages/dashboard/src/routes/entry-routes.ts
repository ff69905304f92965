import { isProblem, type Me } from "@svc/client";
import { createRoute, redirect } from "@tanstack/react-router";
import { safeReturn } from "../address/paths.ts";
import { queryClient } from "../api/query-client.ts";
import { LoginPage, meQuery } from "../features/sessions/index.ts";
import { pagesBelow } from "./page.ts";
import { FirstSkeleton, rootRoute } from "./root-routes.tsx";

// The pages before a complete sign-in, rendered without the shell.

type Raw = Record<string, unknown>;

const readNext = (search: Raw): { next?: string } =>
  typeof search.next === "string" ? { next: safeReturn(search.next) } : {};

const readLogin = (search: Raw): { next?: string; ended?: string } => ({
  ...readNext(search),
  ...(search.ended === "1" ? { ended: "1" } : {}),
});

const nothing = () => ({});

/** Loads the current user from the server; redirects to the sign-in without a session. */
async function freshMe(next: string | undefined): Promise<Me> {
  try {
    return await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
  } catch (error) {
    if (!isProblem(error, "unauthenticated")) throw error;
    throw redirect({ to: "/login", search: next === undefined ? {} : { next } });
  }
}

/** The sign-in page is part of the entry bundle, so that it needs no second request. */
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  validateSearch: readLogin,
  component: LoginPage,
});
const entryPage = pagesBelow(rootRoute, FirstSkeleton);

export const entryRoutes = [
  loginRoute,
  entryPage(
    "/login/mfa",
    readNext,
    () => import("../features/mfa/VerifyPage.tsx"),
    "VerifyPage",
    async ({ location }) => {
      const { next } = readNext(location.search);
      const me = await freshMe(next);
      if (!me.mfa_required) throw redirect({ href: safeReturn(next), replace: true });
    },
  ),
  entryPage(
    "/login/enroll",
    readNext,
    () => import("../features/mfa/EnrollPage.tsx"),
    "EnrollPage",
    async ({ location }) => {
      const search = readNext(location.search);
      const me = await freshMe(search.next);
      if (me.mfa_required) throw redirect({ to: "/login/mfa", search });
    },
  ),
  entryPage("/reset", nothing, () => import("../features/password-reset/RequestPage.tsx"), "RequestPage"),
  entryPage("/reset/confirm", nothing, () => import("../features/password-reset/ConfirmPage.tsx"), "ConfirmPage"),
  entryPage("/invite", nothing, () => import("../features/invitations/InvitePage.tsx"), "InvitePage"),
] as const;
