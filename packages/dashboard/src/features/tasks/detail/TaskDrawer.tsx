import { isProblem } from "@svc/client";
import { useEffect, useRef } from "react";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../ui/AppLink.tsx";
import controls from "../../../ui/controls.module.css";
import { Bones, Failed } from "../../../ui/Feedback.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { drawerClass } from "../../../ui/Layers.tsx";
import { useFocusBack } from "../focus-back.ts";
import { AttemptsPanel } from "./AttemptsPanel.tsx";
import { EventsPanel } from "./EventsPanel.tsx";
import { FailurePanel } from "./FailurePanel.tsx";
import { FamilyPanel } from "./FamilyPanel.tsx";
import { InputPanels } from "./InputPanels.tsx";
import { LifecycleBar } from "./LifecycleBar.tsx";
import { StoryPanel } from "./StoryPanel.tsx";
import { TaskHead } from "./TaskHead.tsx";
import css from "./task.module.css";
import { partsOf } from "./task-parts.ts";
import { type TaskDetail, useTaskDetail } from "./use-task-detail.ts";

interface TaskDrawerProps {
  slug: string;
  engine: string;
  taskId: string;
  tab: string | undefined;
  onTab: (tab: string) => void;
  onClose: () => void;
  onMove: (step: number) => void;
}

/** The task beside its list, one part at a time. Not modal: j and k go on walking the list behind it. */
export function TaskDrawer(props: TaskDrawerProps) {
  const { slug, engine, taskId, onClose, onMove } = props;
  const detail = useTaskDetail(slug, engine, taskId);
  const element = useRef<HTMLDialogElement>(null);
  useFocusBack();
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    const before = document.activeElement;
    dialog.show();
    // Opened by the keyboard from a row, the focus stays there: the next key is likely j.
    if (before instanceof HTMLElement && before.closest("[role=row]")) before.focus({ preventScroll: true });
  }, []);

  const actions = (
    <>
      <span className={css.pn}>
        <button
          type="button"
          className={controls.ib}
          aria-label="Previous task in the list"
          title="Previous task in the list (k)"
          onClick={() => onMove(-1)}
        >
          <Icon name="prev" />
        </button>
        <button
          type="button"
          className={controls.ib}
          aria-label="Next task in the list"
          title="Next task in the list (j)"
          onClick={() => onMove(1)}
        >
          <Icon name="right" />
        </button>
      </span>
      <AppLink
        className={controls.ib}
        href={paths.task(slug, engine, taskId)}
        aria-label="Open the full page"
        title="Open the full page (o)"
      >
        <Icon name="open" />
      </AppLink>
      <button type="button" className={controls.ib} aria-label="Close" title="Close (Esc)" onClick={onClose}>
        <Icon name="x" />
      </button>
    </>
  );

  return (
    <dialog ref={element} className={drawerClass} aria-labelledby="drawer-title">
      {detail.task ? (
        <>
          <TaskHead slug={slug} task={detail.task} level={2} actions={actions} />
          <LifecycleBar task={detail.task} attempts={detail.attempts} />
          <DrawerParts {...props} detail={detail} />
        </>
      ) : (
        <>
          <div className={css.head}>
            <h2 id="drawer-title">{isProblem(detail.error, "not_found") ? "Not found" : "Task"}</h2>
            <div className={css.acts}>{actions}</div>
          </div>
          {detail.error ? (
            <Failed title="The task could not be read" error={detail.error} onRetry={detail.refetch} />
          ) : (
            <Bones label="Loading the task" />
          )}
        </>
      )}
    </dialog>
  );
}

function DrawerParts({ slug, tab, onTab, detail }: TaskDrawerProps & { detail: TaskDetail }) {
  const { task } = detail;
  if (!task) return null;
  const parts = partsOf(task, detail);
  const shown = parts.find((part) => part.id === tab) ?? parts[0];
  return (
    <>
      <nav className={css.subtabs} aria-label="Task parts">
        {parts.map((part) => (
          <button
            key={part.id}
            type="button"
            aria-current={part === shown ? "true" : undefined}
            onClick={() => onTab(part.id)}
          >
            {part.label} {part.count === null ? null : <span>{part.count}</span>}
          </button>
        ))}
      </nav>
      <div className={css.one}>
        {shown?.id === "failure" ? <FailurePanel task={task} /> : null}
        {shown?.id === "timeline" ? <StoryPanel task={task} detail={detail} /> : null}
        {shown?.id === "attempts" ? (
          <AttemptsPanel attempts={detail.attempts} maxAttempts={task.max_attempts ?? null} />
        ) : null}
        {shown?.id === "input" ? <InputPanels task={task} /> : null}
        {shown?.id === "family" ? <FamilyPanel slug={slug} of={task} detail={detail} /> : null}
        {shown?.id === "events" ? <EventsPanel detail={detail} showsAll /> : null}
      </div>
    </>
  );
}
