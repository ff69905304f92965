import type { Task } from "@svc/client";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { AttemptsPanel } from "./attempts/AttemptsPanel.tsx";
import { DifferencesPanel } from "./failure/DifferencesPanel.tsx";
import { FailurePanel } from "./failure/FailurePanel.tsx";
import { WhyNot } from "./failure/WhyNot.tsx";
import { FamilyPanel } from "./family/FamilyPanel.tsx";
import { TaskHead } from "./head/TaskHead.tsx";
import { EventsPanel } from "./history/EventsPanel.tsx";
import { LifecycleBar } from "./history/LifecycleBar.tsx";
import { StoryPanel } from "./history/StoryPanel.tsx";
import { TaskGaps, useTaskGaps } from "./history/TaskGaps.tsx";
import { InputPanels } from "./InputPanels.tsx";
import css from "./task.module.css";
import { openingPart, type PartId, partsOf } from "./task-parts.ts";
import type { TaskDetail } from "./use-task-detail.ts";

interface TaskViewProps {
  slug: string;
  task: Task;
  detail: TaskDetail;
  /** The drawer shows one part at a time. The page shows all, and its tabs scroll to them. */
  place: "drawer" | "page";
  /** The part named in the URL. */
  tab: string | undefined;
  onTab: (tab: PartId) => void;
  /** The URL of another task, opened in the same place. */
  hrefOf: (engine: string, taskId: string) => string;
  actions: ReactNode;
}

/** Everything about one task, for both the drawer and the task page. */
export function TaskView(props: TaskViewProps) {
  const { slug, task, detail, place, tab, onTab, hrefOf, actions } = props;
  const gaps = useTaskGaps(slug, task);
  const parts = partsOf(task, detail);
  const current = parts.find((part) => part.id === tab) ?? openingPart(parts);
  const tabs = useRef<HTMLElement>(null);
  const currentId = current?.id;
  // On a phone the tabs are wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the current tab changes
  useEffect(() => {
    const tab = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tab) tabs.current?.scrollTo({ left: tab.offsetLeft - tabs.current.offsetLeft - 48 });
  }, [currentId]);
  const differences = <DifferencesPanel slug={slug} compared={{ name: task.name }} failedAt={task.received_at} />;
  const draw: Record<PartId, () => ReactNode> = {
    failure: () => (
      <>
        <FailurePanel slug={slug} task={task} />
        {place === "drawer" ? differences : null}
      </>
    ),
    timeline: () => <StoryPanel slug={slug} task={task} detail={detail} hrefOf={hrefOf} />,
    attempts: () => (
      <AttemptsPanel
        attempts={detail.attempts}
        maxAttempts={task.max_attempts ?? null}
        isCut={Boolean(detail.eventsQuery.data?.next_cursor)}
      />
    ),
    input: () => <InputPanels task={task} />,
    family: () => <FamilyPanel of={task} detail={detail} hrefOf={hrefOf} />,
    events: () => <EventsPanel slug={slug} task={task} detail={detail} isShort={place === "page"} />,
  };
  const drawn = (...ids: PartId[]) =>
    ids.filter((id) => parts.some((part) => part.id === id)).map((id) => <Fragment key={id}>{draw[id]()}</Fragment>);

  return (
    <>
      <TaskHead
        slug={slug}
        task={task}
        lastCommand={detail.commands[0]}
        level={place === "page" ? 1 : 2}
        actions={actions}
        hrefOf={hrefOf}
      />
      <LifecycleBar task={task} attempts={detail.attempts} gaps={gaps} />
      <TaskGaps slug={slug} gaps={gaps} />
      <WhyNot slug={slug} task={task} />
      <nav ref={tabs} className={css.subtabs} aria-label="Task parts">
        {parts.map((part) => (
          <button
            key={part.id}
            type="button"
            aria-current={part === current ? "true" : undefined}
            onClick={() => onTab(part.id)}
          >
            {part.label} {part.count === null ? null : <span>{part.count}</span>}
          </button>
        ))}
      </nav>
      {place === "drawer" ? (
        <div className={css.one}>{current ? drawn(current.id) : null}</div>
      ) : (
        <div className={css.cols}>
          <div className={css.stack}>{drawn("failure", "input", "attempts")}</div>
          <div className={css.stack}>
            {drawn("timeline")}
            {parts.some((part) => part.id === "failure") ? differences : null}
            {drawn("events")}
          </div>
          {drawn("family")}
        </div>
      )}
    </>
  );
}
