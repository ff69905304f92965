import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readActivitySearch, readAuditSearch } from "../features/audit/audit-search.ts";

// What was done and refused: of one project, and of all of them.

export function auditRoutes<Project extends AnyRoute>(projectRoute: Project) {
  const auditRoute = createRoute({
    getParentRoute: () => projectRoute,
    path: "/audit",
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import("../features/audit/AuditPage.tsx"), "AuditPage"),
  });
  return [auditRoute] as const;
}

export function activityRoutes<SignedIn extends AnyRoute>(signedInRoute: SignedIn) {
  const activityRoute = createRoute({
    getParentRoute: () => signedInRoute,
    path: "/activity",
    validateSearch: readActivitySearch,
    component: lazyRouteComponent(() => import("../features/audit/ActivityPage.tsx"), "ActivityPage"),
  });
  return [activityRoute] as const;
}
