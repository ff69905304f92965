import { useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { useGo } from "../../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { copyText } from "../../../ui/buttons/CopyButton.tsx";
import { type KeyHelp, useKeys } from "../../../ui/layers/keys.ts";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { idTail, nameText } from "../../../ui/time/format.ts";
import { usePage } from "../../../ui/title.ts";
import { taskKeys } from "../../actions/index.ts";
import { readTaskPageSearch, taskAddress, taskEventsQuery, taskKey, taskQuery } from "../../task-data/index.ts";
import { useListFilters, useListPlace } from "./head/list-place.ts";
import { ListSteps } from "./head/TaskActions.tsx";
import { TaskNotFound } from "./TaskNotFound.tsx";
import { TaskView } from "./TaskView.tsx";
import type { PartId } from "./task-parts.ts";
import { useTaskDetail } from "./use-task-detail.ts";

const keys: KeyHelp = {
  title: "This task",
  entries: [
    ["j, k", "Next and previous task in the list"],
    ["u", "Back to the list"],
    ["y", "Copy the task id"],
    ["r, c", "Retry or cancel the task"],
  ],
};

export const loader: PageLoader<{ slug: string; engine: string; taskId: string }> = ({ params }) => {
  const { slug, engine, taskId } = params;
  return Promise.all([readAhead(taskQuery(slug, engine, taskId)), readAhead(taskEventsQuery(slug, engine, taskId))]);
};

/** All parts of a task on one page, with tabs that scroll to them. The URL includes the filters of the list it was opened from. */
export function TaskPage() {
  const { slug, engine, taskId } = useParams({ from: "/signed-in/p/$slug/tasks/$engine/$taskId" });
  const { tab, ...search } = useSearch({
    from: "/signed-in/p/$slug/tasks/$engine/$taskId",
    select: readTaskPageSearch,
    structuralSharing: true,
  });
  const detail = useTaskDetail(slug, engine, taskId);
  const place = useListPlace(slug, { engine, taskId }, useListFilters(slug, search));
  const go = useGo();
  const task = detail.read.data ?? undefined;
  const listHref = paths.tasks(slug, search);
  usePage(
    [[slug, paths.project(slug)], ["Tasks", listHref], [task ? nameText(task.name) : idTail(taskId)]],
    task?.state,
  );
  const move = (step: number) => {
    const to = step < 0 ? place.previous : place.next;
    if (to)
      go(taskAddress(slug, to.engine, taskKey(to), { ...search, ...(tab === undefined ? {} : { tab }) }), {
        replace: true,
      });
  };
  useKeys(
    {
      j: () => move(1),
      k: () => move(-1),
      u: () => go(listHref),
      y: () => void copyText(taskId),
      ...taskKeys({ engine, taskId, state: task?.state }),
    },
    keys,
  );

  const isFound = task !== undefined;
  const jump = useEffectEvent(() => {
    if (tab !== undefined) showPart(tab);
  });
  // The family loads after the task and has no part until then.
  const isPartLoaded = isFound && (tab !== "family" || !detail.treeQuery.isPending);
  // Scrolls once per task to the part named in the URL.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per task
  useEffect(() => {
    if (isPartLoaded) jump();
  }, [isPartLoaded, engine, taskId]);

  const onTab = (part: PartId) => {
    go(taskAddress(slug, engine, taskId, { ...search, tab: part }), { replace: true });
    showPart(part);
  };
  return (
    <>
      {isFound ? null : <h1 className="vh">{detail.read.data === null ? "Task not found" : "Task"}</h1>}
      <QueryBoundary name="The task" read={detail.read}>
        {task === undefined ? (
          <TaskNotFound slug={slug} engine={engine} taskId={taskId} />
        ) : (
          <TaskView
            key={`${engine}/${taskId}`}
            slug={slug}
            task={task}
            detail={detail}
            place="page"
            tab={tab}
            onTab={onTab}
            hrefOf={(otherEngine, otherId) => taskAddress(slug, otherEngine, otherId, search)}
            actions={
              <>
                <ButtonLink variant="tool" className="lg" href={listHref} title="Back to the list (u)">
                  All tasks
                </ButtonLink>
                <ListSteps place={place} onMove={move} />
              </>
            }
          />
        )}
      </QueryBoundary>
    </>
  );
}

/** Scrolls a part into view and focuses it. */
function showPart(part: string): void {
  const element = document.getElementById(part);
  if (!element) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "start" });
}
