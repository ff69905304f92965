import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { searchOf } from "../address/page-search.ts";
import { signedInRoute } from "./root-routes.tsx";

// The pages of one's own account.

const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/me/profile",
  validateSearch: searchOf([]),
  component: lazyRouteComponent(() => import("../features/account/ProfilePage.tsx"), "ProfilePage"),
});

const securityRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/me/security",
  validateSearch: searchOf([]),
  component: lazyRouteComponent(() => import("../features/account/security/SecurityPage.tsx"), "SecurityPage"),
});

const appearanceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/me/appearance",
  validateSearch: searchOf([]),
  component: lazyRouteComponent(() => import("../features/account/AppearancePage.tsx"), "AppearancePage"),
});

export const meRoutes = [profileRoute, securityRoute, appearanceRoute] as const;
