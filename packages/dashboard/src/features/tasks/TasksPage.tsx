import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readPageAhead } from "../../api/read-ahead.ts";
import { PageSkeleton } from "../../ui/panels/Feedback.tsx";
import { usePage } from "../../ui/title.ts";
import { statsQuery } from "../projects/index.ts";
import { activeFilters, filtersOf, readTasksSearch, taskListQuery } from "../task-data/index.ts";
import { TaskListView } from "./list/TaskListView.tsx";

const Onboarding = lazy(() => import("../onboarding/index.ts").then((module) => ({ default: module.Onboarding })));

export const loader: PageLoader<{ slug: string }> = async ({ params, location }) => {
  const search = readTasksSearch(location.search);
  // Ages are relative to now, so the page would read a different list.
  if (search.since !== undefined || search.until !== undefined) return;
  await readPageAhead(taskListQuery(params.slug, filtersOf(search, Date.now())));
};

export function TasksPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/tasks" });
  return <ProjectTasks key={slug} slug={slug} />;
}

function ProjectTasks({ slug }: { slug: string }) {
  usePage([[slug, paths.project(slug)], ["Tasks"]]);
  const stats = useQuery(statsQuery(slug));
  const search = useSearch({ from: "/signed-in/p/$slug/tasks", select: readTasksSearch, structuralSharing: true });
  // A project without tasks shows the onboarding; once it has tasks, the list stays.
  const [hasTasks, setHasTasks] = useState(false);
  const total = stats.data?.tasks_total;
  if (!hasTasks && total !== undefined && total > 0) setHasTasks(true);
  const isEmpty = !hasTasks && total === 0 && activeFilters(search).length === 0;
  if (isEmpty) {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <Onboarding slug={slug} onReady={() => setHasTasks(true)} />
      </Suspense>
    );
  }
  return <TaskListView slug={slug} search={search} />;
}
