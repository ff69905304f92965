import { isProblem } from "@svc/client";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useParams,
  useRouter,
} from "@tanstack/react-router";
import { adminRoutes } from "./admin-routes.tsx";
import { projectQuery, statsQuery } from "./features/projects/queries.ts";
import { meQuery } from "./features/sessions/queries.ts";
import { taskListQuery } from "./features/tasks/queries.ts";
import { filtersOf, readTaskPageSearch, readTasksSearch } from "./features/tasks/tasks-search.ts";
import { rangeKeys, searchOf } from "./page-search.ts";
import { paths, safeReturn } from "./paths.ts";
import { queryClient, whenSignedOut } from "./query-client.ts";
import { activityRoutes, auditRoutes } from "./record-routes.tsx";
import { parseSearch, stringifySearch } from "./search-text.ts";
import { NotFound } from "./shell/NotFound.tsx";
import { Failed, isMissingPart, PageBones } from "./ui/Feedback.tsx";
import { usePage } from "./ui/title.ts";

// The site map. One line per page; each page is a chunk of its own, and only the current one is loaded. Pages that come
// later mount here in this order: /login/mfa, /login/enroll, /reset, /reset/confirm, /invite, /inbox, then
// below a project: issues, schedules, dead-letters, commands, bulk-retries, automation, settings,
// and the rest of /me, /admin.

/** What stands before the shell does, which has the landmark of the page. */
function FirstBones() {
  return (
    <main>
      <PageBones />
    </main>
  );
}

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  validateSearch: (search: Record<string, unknown>): { next?: string; ended?: string } => ({
    ...(typeof search.next === "string" ? { next: safeReturn(search.next) } : {}),
    ...(search.ended === "1" ? { ended: "1" } : {}),
  }),
  component: lazyRouteComponent(() => import("./features/sessions/LoginPage.tsx"), "LoginPage"),
  pendingComponent: FirstBones,
});

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!isProblem(error, "unauthenticated")) throw error;
      const next = safeReturn(location.href);
      throw redirect({ to: "/login", search: next === "/" ? {} : { next } });
    }
  },
  component: lazyRouteComponent(() => import("./shell/Shell.tsx"), "Shell"),
  pendingComponent: FirstBones,
  errorComponent: PageError,
});

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: searchOf([]),
  component: lazyRouteComponent(() => import("./features/projects/HomePage.tsx"), "HomePage"),
});

const appearanceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/me/appearance",
  validateSearch: searchOf([]),
  component: lazyRouteComponent(() => import("./features/account/AppearancePage.tsx"), "AppearancePage"),
});

const projectRoute = createRoute({ getParentRoute: () => signedInRoute, path: "/p/$slug", component: Outlet });

const projectIndexRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("./features/overview/OverviewPage.tsx"), "OverviewPage"),
});

const tasksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tasks",
  validateSearch: readTasksSearch,
  component: lazyRouteComponent(() => import("./features/tasks/TasksPage.tsx"), "TasksPage"),
});

const taskRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tasks/$engine/$taskId",
  // The filters of the list that the task was opened from, for the way back and the tasks before and after it.
  validateSearch: readTaskPageSearch,
  component: lazyRouteComponent(() => import("./features/tasks/detail/TaskPage.tsx"), "TaskPage"),
});

const queuesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/queues",
  validateSearch: searchOf([...rangeKeys, "filter"]),
  component: lazyRouteComponent(() => import("./features/queues/QueuesPage.tsx"), "QueuesPage"),
});

const queueRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/queues/$engine/$name",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("./features/queues/QueuePage.tsx"), "QueuePage"),
});

const workersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/workers",
  validateSearch: searchOf([...rangeKeys, "filter"]),
  component: lazyRouteComponent(() => import("./features/workers/WorkersPage.tsx"), "WorkersPage"),
});

const workerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/workers/$workerId",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("./features/workers/WorkerPage.tsx"), "WorkerPage"),
});

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents",
  validateSearch: searchOf([...rangeKeys, "filter"]),
  component: lazyRouteComponent(() => import("./features/agents/AgentsPage.tsx"), "AgentsPage"),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents/$agentId",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("./features/agents/AgentPage.tsx"), "AgentPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    loginRoute,
    signedInRoute.addChildren([
      homeRoute,
      appearanceRoute,
      ...activityRoutes(signedInRoute),
      ...adminRoutes(signedInRoute),
      projectRoute.addChildren([
        projectIndexRoute,
        tasksRoute,
        taskRoute,
        queuesRoute,
        queueRoute,
        workersRoute,
        workerRoute,
        agentsRoute,
        agentRoute,
        ...auditRoutes(projectRoute),
      ]),
    ]),
  ]),
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageError,
  defaultPendingComponent: PageBones,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPreload: false,
  scrollRestoration: false,
});

/**
 * Asks at once for what the first page will ask for: its parts, and the reads that its address alone decides. One after the other
 * they would each wait until those before them have run, the session's first of all.
 */
export function startFirstPage(): void {
  // Without a session, or with one that has ended, the reads of the page itself lead to the sign-in.
  if (!document.cookie.includes("svc_csrf=")) return;
  const meta = { quiet: true };
  const matches: readonly FirstMatch[] = router.matchRoutes(router.latestLocation);
  // The parts first: nothing is drawn before they are here, and the service answers in turn.
  for (const { routeId } of matches) {
    const { component } = router.routesById[routeId].options as { component?: { preload?: () => Promise<void> } };
    component?.preload?.().catch(() => {});
  }
  void queryClient.prefetchQuery(meQuery);
  for (const { routeId, params, search } of matches) {
    const { slug = "" } = params;
    if (routeId === projectRoute.id) {
      void queryClient.prefetchQuery({ ...projectQuery(slug), meta });
      void queryClient.prefetchQuery({ ...statsQuery(slug), meta });
    }
    // What is counted back from the present would be another list once the page is there.
    if (routeId === tasksRoute.id && !search.since && !search.until) {
      void queryClient.prefetchInfiniteQuery(taskListQuery(slug, filtersOf(readTasksSearch(search), Date.now())));
    }
  }
}

interface FirstMatch {
  readonly routeId: keyof typeof router.routesById;
  readonly params: { readonly slug?: string };
  readonly search: Readonly<Record<string, unknown>>;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  const { invalidate } = useRouter();
  // Without it a page that failed to read would throw what it remembers instead of reading again.
  const failedReads = useQueryErrorResetBoundary();
  const { slug } = useParams({ strict: false });
  usePage([...(slug === undefined ? [] : [{ label: slug, href: paths.project(slug) }]), { label: "Not shown" }]);
  return (
    <>
      <h1 className="vh">This page could not be shown</h1>
      <Failed
        title="This page could not be shown"
        error={error}
        // A page's own file is asked for once; after that only a reload brings it.
        onRetry={
          isMissingPart(error)
            ? undefined
            : () => {
                failedReads.reset();
                reset();
                void invalidate();
              }
        }
      />
    </>
  );
}

whenSignedOut(() => {
  const { location } = router.state;
  if (location.pathname === "/login") return;
  queryClient.clear();
  void router.navigate({ to: "/login", search: { next: safeReturn(location.href), ended: "1" }, replace: true });
});
