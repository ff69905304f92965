import { createRoute, createRouter, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { rangeKeys, searchOf } from "../address/page-search.ts";
import { safeReturn } from "../address/paths.ts";
import { parseSearch, stringifySearch } from "../address/search-text.ts";
import { queryClient, whenSignedOut } from "../api/query-client.ts";
import { whenGated } from "../api/second-factor-gate.ts";
import { readBulkRetrySearch } from "../features/actions/bulk-retries/bulk-retry-search.ts";
import { readCommandsSearch } from "../features/actions/commands/commands-search.ts";
import { readDeadLettersSearch } from "../features/dead-letters/dead-letters-search.ts";
import { readIssuesSearch } from "../features/issues/issues-search.ts";
import { projectQuery, statsQuery } from "../features/projects/queries.ts";
import { maybeSignedIn, meQuery } from "../features/sessions/queries.ts";
import { filtersOf, readTaskPageSearch, readTasksSearch } from "../features/tasks/filters/tasks-search.ts";
import { taskEventsQuery, taskListQuery, taskQuery } from "../features/tasks/queries.ts";
import { PageBones } from "../ui/panels/Feedback.tsx";
import { adminRoutes } from "./admin-routes.tsx";
import { entryRoutes } from "./entry-routes.tsx";
import { meRoutes } from "./me-routes.tsx";
import { apiKeysRoute, settingsRoutes, usersRoute } from "./people-routes.tsx";
import { activityRoutes, auditRoutes } from "./record-routes.tsx";
import { PageError, rootRoute, signedInRoute } from "./root-routes.tsx";

// The site map. One line per page; each page is a chunk of its own, and only the current one is loaded. Pages that come
// later mount here in this order: /inbox, then below a project: schedules,
// automation, and the rest of /me, /admin.

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: searchOf([]),
  component: lazyRouteComponent(() => import("../features/projects/home/HomePage.tsx"), "HomePage"),
});

const projectRoute = createRoute({ getParentRoute: () => signedInRoute, path: "/p/$slug", component: Outlet });

const projectIndexRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("../features/overview/OverviewPage.tsx"), "OverviewPage"),
});

const tasksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tasks",
  validateSearch: readTasksSearch,
  component: lazyRouteComponent(() => import("../features/tasks/TasksPage.tsx"), "TasksPage"),
});

const taskRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tasks/$engine/$taskId",
  // The filters of the list that the task was opened from, for the way back and the tasks before and after it.
  validateSearch: readTaskPageSearch,
  component: lazyRouteComponent(() => import("../features/tasks/detail/TaskPage.tsx"), "TaskPage"),
});

const issuesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/issues",
  validateSearch: readIssuesSearch,
  component: lazyRouteComponent(() => import("../features/issues/IssuesPage.tsx"), "IssuesPage"),
});

const issueRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/issues/$fingerprint",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("../features/issues/IssuePage.tsx"), "IssuePage"),
});

const queuesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/queues",
  validateSearch: searchOf([...rangeKeys, "filter"]),
  component: lazyRouteComponent(() => import("../features/queues/QueuesPage.tsx"), "QueuesPage"),
});

const queueRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/queues/$engine/$name",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("../features/queues/QueuePage.tsx"), "QueuePage"),
});

const workersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/workers",
  validateSearch: searchOf([...rangeKeys, "filter"]),
  component: lazyRouteComponent(() => import("../features/workers/WorkersPage.tsx"), "WorkersPage"),
});

const workerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/workers/$workerId",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("../features/workers/WorkerPage.tsx"), "WorkerPage"),
});

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents",
  validateSearch: searchOf([...rangeKeys, "filter"]),
  component: lazyRouteComponent(() => import("../features/agents/AgentsPage.tsx"), "AgentsPage"),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents/$agentId",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("../features/agents/AgentPage.tsx"), "AgentPage"),
});

const deadLettersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/dead-letters",
  validateSearch: readDeadLettersSearch,
  component: lazyRouteComponent(() => import("../features/dead-letters/DeadLettersPage.tsx"), "DeadLettersPage"),
});

const commandsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/commands",
  validateSearch: readCommandsSearch,
  component: lazyRouteComponent(() => import("../features/actions/commands/CommandsPage.tsx"), "CommandsPage"),
});

const commandRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/commands/$commandId",
  validateSearch: searchOf(rangeKeys),
  component: lazyRouteComponent(() => import("../features/actions/commands/CommandPage.tsx"), "CommandPage"),
});

const bulkRetryRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/bulk-retries/$requestId",
  validateSearch: readBulkRetrySearch,
  component: lazyRouteComponent(() => import("../features/actions/bulk-retries/BulkRetryPage.tsx"), "BulkRetryPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...entryRoutes,
    signedInRoute.addChildren([
      homeRoute,
      ...meRoutes,
      apiKeysRoute(signedInRoute),
      usersRoute(signedInRoute),
      ...activityRoutes(signedInRoute),
      ...adminRoutes(signedInRoute),
      projectRoute.addChildren([
        projectIndexRoute,
        tasksRoute,
        taskRoute,
        issuesRoute,
        issueRoute,
        queuesRoute,
        queueRoute,
        workersRoute,
        workerRoute,
        agentsRoute,
        agentRoute,
        deadLettersRoute,
        commandsRoute,
        commandRoute,
        bulkRetryRoute,
        ...settingsRoutes(projectRoute),
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
 * they would each wait until those before them have run, the session's first of all. Ends when what the page begins with is here or has failed.
 */
export async function startFirstPage(): Promise<void> {
  // Without a session, or with one that has ended, the reads of the page itself lead to the sign-in.
  if (!maybeSignedIn()) return;
  const meta = { quiet: true };
  const asked: (Promise<unknown> | undefined)[] = [];
  const matches: readonly FirstMatch[] = router.matchRoutes(router.latestLocation);
  // The parts first: nothing is drawn before they are here, and the service answers in turn.
  for (const { routeId } of matches) {
    const { component } = router.routesById[routeId].options as { component?: { preload?: () => Promise<void> } };
    asked.push(component?.preload?.());
  }
  asked.push(queryClient.prefetchQuery(meQuery));
  for (const { routeId, params, search } of matches) {
    const { slug = "", engine = "", taskId = "" } = params;
    if (routeId === projectRoute.id) {
      asked.push(queryClient.prefetchQuery({ ...projectQuery(slug), meta }));
      // Nothing of the page waits for these figures.
      void queryClient.prefetchQuery({ ...statsQuery(slug), meta });
    }
    // What is counted back from the present would be another list once the page is there.
    if (routeId === tasksRoute.id && !search.since && !search.until) {
      asked.push(
        queryClient.prefetchInfiniteQuery(taskListQuery(slug, filtersOf(readTasksSearch(search), Date.now()))),
      );
    }
    if (routeId === taskRoute.id) {
      asked.push(queryClient.prefetchQuery({ ...taskQuery(slug, engine, taskId), meta }));
      asked.push(queryClient.prefetchQuery({ ...taskEventsQuery(slug, engine, taskId), meta }));
    }
  }
  await Promise.allSettled(asked);
}

interface FirstMatch {
  readonly routeId: keyof typeof router.routesById;
  readonly params: { readonly slug?: string; readonly engine?: string; readonly taskId?: string };
  readonly search: Readonly<Record<string, unknown>>;
}

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
  // Only these two pages are open to such a session, and its sign-in is under way on the others here.
  if (location.pathname.startsWith("/login")) return;
  queryClient.clear();
  const to = gate === "verify" ? "/login/mfa" : "/login/enroll";
  void router.navigate({ to, search: { next: safeReturn(location.href) }, replace: true });
});
