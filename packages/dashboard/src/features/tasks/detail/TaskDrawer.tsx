import type { TaskFilters } from "@svc/client";
import { useEffect, useRef } from "react";
import { paths } from "../../../address/paths.ts";
import { Button, ButtonLink } from "../../../ui/buttons/Button.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { drawerClass } from "../../../ui/layers/Layers.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { type TasksSearch, taskAddress } from "../../task-data/index.ts";
import { useFocusBack } from "../focus-back.ts";
import { useListPlace } from "./head/list-place.ts";
import { ListSteps } from "./head/TaskActions.tsx";
import { TaskNotFound } from "./TaskNotFound.tsx";
import { TaskView } from "./TaskView.tsx";
import css from "./task.module.css";
import { useTaskDetail } from "./use-task-detail.ts";

interface TaskDrawerProps {
  slug: string;
  engine: string;
  taskId: string;
  /** The list's URL parameters, and the filters it was loaded with. */
  search: TasksSearch;
  filters: TaskFilters;
  onTab: (tab: string) => void;
  onClose: () => void;
  onMove: (step: number) => void;
}

/** The task next to its list, one tab at a time. Not modal, so j and k still move through the list behind it. */
export function TaskDrawer({ slug, engine, taskId, search, filters, onTab, onClose, onMove }: TaskDrawerProps) {
  const detail = useTaskDetail(slug, engine, taskId);
  const place = useListPlace(slug, { engine, taskId }, filters);
  const element = useRef<HTMLDialogElement>(null);
  useFocusBack();
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    const before = document.activeElement;
    dialog.show();
    // When opened by keyboard from a row, focus stays on the row: the next key is likely j.
    if (before instanceof HTMLElement && before.closest("[role=row]")) before.focus({ preventScroll: true });
  }, []);

  const actions = (
    <>
      <ListSteps place={place} onMove={onMove} />
      <ButtonLink
        variant="icon"
        href={taskAddress(slug, engine, taskId, search)}
        aria-label="Open the full page"
        title="Open the full page (o)"
      >
        <Icon name="open" />
      </ButtonLink>
      <Button variant="icon" icon="x" aria-label="Close" title="Close (Esc)" onClick={onClose} />
    </>
  );
  const hrefOf = (otherEngine: string, otherId: string) =>
    paths.tasks(slug, { ...search, tab: undefined, task: `${otherEngine}/${otherId}` });

  return (
    <dialog ref={element} className={drawerClass} aria-labelledby="drawer-title">
      {detail.read.data ? null : (
        <div className={css.head}>
          <h2 id="drawer-title">{detail.read.data === null ? "Not found" : "Task"}</h2>
          <div className={css.acts}>{actions}</div>
        </div>
      )}
      <QueryBoundary name="The task" read={detail.read}>
        {(task) =>
          task === null ? (
            <TaskNotFound slug={slug} engine={engine} taskId={taskId} />
          ) : (
            <TaskView
              key={`${engine}/${taskId}`}
              slug={slug}
              task={task}
              detail={detail}
              place="drawer"
              tab={search.tab}
              onTab={onTab}
              hrefOf={hrefOf}
              actions={actions}
            />
          )
        }
      </QueryBoundary>
    </dialog>
  );
}
