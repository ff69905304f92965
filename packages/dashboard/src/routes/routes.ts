import { createRouter } from "@tanstack/react-router";
import { safeReturn } from "../address/paths.ts";
import { parseSearch, stringifySearch } from "../address/search-text.ts";
import { queryClient, whenSignedOut } from "../api/query-client.ts";
import { whenGated } from "../api/second-factor-gate.ts";
import { PageSkeleton } from "../ui/panels/Feedback.tsx";
import { entryRoutes } from "./entry-routes.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { projectRoutes } from "./project-routes.ts";
import { PageError, rootRoute, signedInRoute } from "./root-routes.tsx";

// The site map.

export const router = createRouter({
  routeTree: rootRoute.addChildren([...entryRoutes, signedInRoute.addChildren([...instanceRoutes, projectRoutes])]),
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageError,
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPreload: false,
  scrollRestoration: false,
});

declare global {
  interface Window {
    /** Defined by `parts-boot.js`, which only production builds have. */
    preloadParts?: (pathname: string) => void;
  }
}

router.subscribe("onBeforeLoad", ({ pathChanged, fromLocation, toLocation }) => {
  if (pathChanged && fromLocation) window.preloadParts?.(toLocation.pathname);
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

whenSignedOut(() => {
  const { location } = router.state;
  if (location.pathname === "/login") return;
  queryClient.clear();
  void router.navigate({ to: "/login", search: { next: safeReturn(location.href), ended: "1" }, replace: true });
});

whenGated((gate) => {
  const { location } = router.state;
  // Such a session can only open these two pages; on the other sign-in pages, signing in is in progress.
  if (location.pathname.startsWith("/login")) return;
  queryClient.clear();
  const to = gate === "verify" ? "/login/mfa" : "/login/enroll";
  void router.navigate({ to, search: { next: safeReturn(location.href) }, replace: true });
});
