import { isProblem } from "@svc/client";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../ui/AppLink.tsx";
import { copyText } from "../../../ui/CopyButton.tsx";
import controls from "../../../ui/controls.module.css";
import { Bones, Empty, Failed, FailedLine } from "../../../ui/Feedback.tsx";
import { idTail, nameText } from "../../../ui/format.ts";
import { useKeys } from "../../../ui/keys.ts";
import { usePage } from "../../../ui/title.ts";
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
import { useTaskDetail } from "./use-task-detail.ts";

/** The whole task on one page: its parts are stacked, the tabs jump to them. */
export function TaskPage() {
  const { slug, engine, taskId } = useParams({ from: "/signed-in/p/$slug/tasks/$engine/$taskId" });
  const detail = useTaskDetail(slug, engine, taskId);
  const router = useRouter();
  const { task } = detail;
  usePage(
    [
      { label: slug, href: paths.tasks(slug) },
      { label: "Tasks", href: paths.tasks(slug) },
      { label: task ? nameText(task.name) : idTail(taskId) },
    ],
    task?.state,
  );
  useKeys({
    u: () => router.history.push(paths.tasks(slug)),
    y: () => void copyText(taskId),
  });

  if (!task) {
    if (isProblem(detail.error, "not_found")) return <NotHere slug={slug} taskId={taskId} />;
    if (detail.error) {
      return (
        <>
          <h1 className="vh">Task</h1>
          <Failed title="The task could not be read" error={detail.error} onRetry={detail.refetch} />
        </>
      );
    }
    return (
      <>
        <h1 className="vh">Task</h1>
        <Bones label="Loading the task" />
      </>
    );
  }

  const parts = partsOf(task, detail);
  return (
    <>
      {detail.isRefreshFailing ? (
        <FailedLine title="The task could not be read again" error={detail.error} onRetry={detail.refetch} />
      ) : null}
      <TaskHead
        slug={slug}
        task={task}
        level={1}
        actions={
          <AppLink className={`${controls.tool} lg`} href={paths.tasks(slug)} title="Back to the list (u)">
            All tasks
          </AppLink>
        }
      />
      <LifecycleBar task={task} attempts={detail.attempts} />
      <nav className={css.subtabs} aria-label="Task parts">
        {parts.map((part) => (
          <a
            key={part.id}
            href={`#${part.id}`}
            onClick={(event) => {
              event.preventDefault();
              document.getElementById(part.id)?.scrollIntoView({ block: "start" });
            }}
          >
            {part.label} {part.count === null ? null : <span>{part.count}</span>}
          </a>
        ))}
      </nav>
      <div className={css.cols}>
        <div className={css.stack}>
          {task.exception || task.traceback ? <FailurePanel task={task} /> : null}
          <AttemptsPanel attempts={detail.attempts} maxAttempts={task.max_attempts ?? null} />
          <InputPanels task={task} />
        </div>
        <div className={css.stack}>
          <StoryPanel task={task} detail={detail} />
          <EventsPanel detail={detail} showsAll={false} />
        </div>
        <FamilyPanel slug={slug} of={task} detail={detail} />
      </div>
    </>
  );
}

function NotHere({ slug, taskId }: { slug: string; taskId: string }) {
  return (
    <>
      <h1 className="vh">Task not found</h1>
      <Empty
        title="This task is not here"
        chips={
          <AppLink className={controls.btn} href={paths.tasks(slug)}>
            All tasks of {slug}
          </AppLink>
        }
      >
        <p>
          <span className="mono">{idTail(taskId)}</span> is not in this project, or it is past the retention and was
          deleted.
        </p>
      </Empty>
    </>
  );
}
