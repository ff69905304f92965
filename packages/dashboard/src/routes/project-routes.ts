import { createRoute, Outlet, redirect } from "@tanstack/react-router";
import { rangeKeys, searchOf } from "../address/page-search.ts";
import { paths } from "../address/paths.ts";
import { readBulkRetrySearch, readCommandsSearch } from "../features/actions/index.ts";
import { readAuditSearch } from "../features/audit/index.ts";
import { readDeadLettersSearch } from "../features/dead-letters/index.ts";
import { readIssuesSearch } from "../features/issues/index.ts";
import { readEditSearch, readSchedulesSearch } from "../features/schedules/index.ts";
import { readTaskPageSearch, readTasksSearch } from "../features/task-data/index.ts";
import { pagesBelow, readsOf } from "./page.ts";
import { signedInRoute } from "./root-routes.tsx";

// The pages of one project.

const range = searchOf(rangeKeys);
const rangeAndFilter = searchOf([...rangeKeys, "filter"]);

const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/p/$slug",
  component: Outlet,
  loader: readsOf(() => import("../app/project-reads.ts")),
});
const projectPage = pagesBelow(projectRoute);

/** Redirects to the first settings page. */
const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/settings",
  validateSearch: range,
  beforeLoad: ({ params, location }) => {
    throw redirect({ href: paths.general(params.slug) + location.searchStr, replace: true });
  },
});

export const projectRoutes = projectRoute.addChildren([
  projectPage("/", range, () => import("../features/overview/OverviewPage.tsx"), "OverviewPage"),
  projectPage("/tasks", readTasksSearch, () => import("../features/tasks/TasksPage.tsx"), "TasksPage"),
  projectPage(
    "/tasks/$engine/$taskId",
    // The filters of the list that the task was opened from, for the back link and the previous and next task.
    readTaskPageSearch,
    () => import("../features/tasks/detail/TaskPage.tsx"),
    "TaskPage",
  ),
  projectPage("/issues", readIssuesSearch, () => import("../features/issues/IssuesPage.tsx"), "IssuesPage"),
  projectPage("/issues/$fingerprint", range, () => import("../features/issues/IssuePage.tsx"), "IssuePage"),
  projectPage(
    "/schedules",
    readSchedulesSearch,
    () => import("../features/schedules/SchedulesPage.tsx"),
    "SchedulesPage",
  ),
  // Before the page of one schedule, whose address fits these too.
  projectPage(
    "/schedules/misfires",
    rangeAndFilter,
    () => import("../features/schedules/misfires/MisfiresPage.tsx"),
    "MisfiresPage",
  ),
  projectPage(
    "/schedules/forecast",
    range,
    () => import("../features/schedules/forecast/ForecastPage.tsx"),
    "ForecastPage",
  ),
  projectPage(
    "/schedules/new",
    range,
    () => import("../features/schedules/editor/NewSchedulePage.tsx"),
    "NewSchedulePage",
  ),
  projectPage(
    "/schedules/$scheduleId",
    range,
    () => import("../features/schedules/detail/SchedulePage.tsx"),
    "SchedulePage",
  ),
  projectPage(
    "/schedules/$scheduleId/edit",
    readEditSearch,
    () => import("../features/schedules/editor/EditSchedulePage.tsx"),
    "EditSchedulePage",
  ),
  projectPage("/queues", rangeAndFilter, () => import("../features/queues/QueuesPage.tsx"), "QueuesPage"),
  projectPage("/queues/$engine/$name", range, () => import("../features/queues/QueuePage.tsx"), "QueuePage"),
  projectPage("/workers", rangeAndFilter, () => import("../features/workers/WorkersPage.tsx"), "WorkersPage"),
  projectPage("/workers/$workerId", range, () => import("../features/workers/WorkerPage.tsx"), "WorkerPage"),
  projectPage("/agents", rangeAndFilter, () => import("../features/agents/AgentsPage.tsx"), "AgentsPage"),
  projectPage("/agents/$agentId", range, () => import("../features/agents/AgentPage.tsx"), "AgentPage"),
  projectPage(
    "/dead-letters",
    readDeadLettersSearch,
    () => import("../features/dead-letters/DeadLettersPage.tsx"),
    "DeadLettersPage",
  ),
  projectPage(
    "/commands",
    readCommandsSearch,
    () => import("../features/actions/commands/CommandsPage.tsx"),
    "CommandsPage",
  ),
  projectPage(
    "/commands/$commandId",
    range,
    () => import("../features/actions/commands/CommandPage.tsx"),
    "CommandPage",
  ),
  projectPage(
    "/bulk-retries/$requestId",
    readBulkRetrySearch,
    () => import("../features/actions/bulk-retries/BulkRetryPage.tsx"),
    "BulkRetryPage",
  ),
  projectPage("/audit", readAuditSearch, () => import("../features/audit/AuditPage.tsx"), "AuditPage"),
  settingsRoute,
  projectPage("/settings/general", range, () => import("../features/projects/settings/GeneralPage.tsx"), "GeneralPage"),
  projectPage("/settings/members", range, () => import("../features/memberships/MembersPage.tsx"), "MembersPage"),
]);
