import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { paths } from "../../address/paths.ts";
import { PageBones } from "../../ui/panels/Feedback.tsx";
import { usePage } from "../../ui/title.ts";
import { statsQuery } from "../projects/queries.ts";
import { activeFilters, readTasksSearch } from "./filters/tasks-search.ts";
import { TaskListView } from "./list/TaskListView.tsx";

const Onboarding = lazy(() =>
  import("../projects/onboarding/Onboarding.tsx").then((module) => ({ default: module.Onboarding })),
);

export function TasksPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/tasks" });
  return <ProjectTasks key={slug} slug={slug} />;
}

function ProjectTasks({ slug }: { slug: string }) {
  usePage([{ label: slug, href: paths.project(slug) }, { label: "Tasks" }]);
  const stats = useQuery(statsQuery(slug));
  const search = useSearch({ from: "/signed-in/p/$slug/tasks", select: readTasksSearch, structuralSharing: true });
  // A project without any task shows the way to the first one; once there, the list stays for good.
  const [hasTasks, setHasTasks] = useState(false);
  const total = stats.data?.tasks_total;
  if (!hasTasks && total !== undefined && total > 0) setHasTasks(true);
  const isEmpty = !hasTasks && total === 0 && activeFilters(search).length === 0;
  if (isEmpty) {
    return (
      <Suspense fallback={<PageBones />}>
        <Onboarding slug={slug} onReady={() => setHasTasks(true)} />
      </Suspense>
    );
  }
  return <TaskListView slug={slug} search={search} />;
}
