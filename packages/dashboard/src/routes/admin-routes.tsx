import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { searchOf } from "../address/page-search.ts";

// What administrators of the instance read about it.

export function adminRoutes<SignedIn extends AnyRoute>(signedInRoute: SignedIn) {
  const settingsRoute = createRoute({
    getParentRoute: () => signedInRoute,
    path: "/admin/settings",
    validateSearch: searchOf(["filter"]),
    component: lazyRouteComponent(() => import("../features/admin/SettingsPage.tsx"), "SettingsPage"),
  });

  const versionsRoute = createRoute({
    getParentRoute: () => signedInRoute,
    path: "/admin/versions",
    validateSearch: searchOf([]),
    component: lazyRouteComponent(() => import("../features/admin/VersionsPage.tsx"), "VersionsPage"),
  });

  const healthRoute = createRoute({
    getParentRoute: () => signedInRoute,
    path: "/admin/health",
    validateSearch: searchOf([]),
    component: lazyRouteComponent(() => import("../features/admin/HealthPage.tsx"), "HealthPage"),
  });

  return [settingsRoute, versionsRoute, healthRoute] as const;
}
