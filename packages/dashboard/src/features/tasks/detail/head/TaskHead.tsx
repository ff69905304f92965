import type { Task, TaskCommand } from "@svc/client";
import { fieldTerm, quoted } from "@svc/client/task-query";
import type { ReactNode } from "react";
import { paths } from "../../../../address/paths.ts";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { CopyButton } from "../../../../ui/buttons/CopyButton.tsx";
import { Glyph } from "../../../../ui/Icon.tsx";
import { labels } from "../../../../ui/labels.ts";
import { StatePill } from "../../../../ui/StatePill.tsx";
import { duration, nameText, printable } from "../../../../ui/time/format.ts";
import { Age } from "../../../../ui/time/Stamp.tsx";
import { useNow } from "../../../../ui/time/ticker.ts";
import { actionLabel, CommandState } from "../../../actions/index.ts";
import { lifeOf, tryText, waitText } from "../../life.ts";
import css from "../task.module.css";
import { TaskActions } from "./TaskActions.tsx";

interface TaskHeadProps {
  slug: string;
  task: Task;
  /** Heading level: h1 on the page; h2 in the drawer, whose page already has an h1. */
  level: 1 | 2;
  actions: ReactNode;
  hrefOf: (engine: string, taskId: string) => string;
  /** The newest command on the task, by any user. The task's own state is always what the engine reports. */
  lastCommand: TaskCommand | undefined;
}

export function TaskHead({ slug, task, level, actions, hrefOf, lastCommand }: TaskHeadProps) {
  const Title = level === 1 ? "h1" : "h2";
  const listOf = (filter: Record<string, string>) => paths.tasks(slug, filter);
  return (
    <header className={level === 1 ? css.head : `${css.head} ${css.narrow}`}>
      <div className={css.title}>
        <StatePill state={task.state} />
        <Title id={level === 2 ? "drawer-title" : undefined} title={nameText(task.name)}>
          {nameText(task.name)}
        </Title>
        <span className={`${css.idc} mono`}>
          <span className="cut">{printable(task.task_id)}</span>
          <CopyButton text={task.task_id} name="Copy task id (y)" />
        </span>
      </div>
      <TaskActions slug={slug} task={task} />
      <div className={css.acts}>{actions}</div>
      <dl className={css.meta}>
        <div className={css.id}>
          <dt>Id</dt>
          <dd className="mono">{printable(task.task_id)}</dd>
        </div>
        <Fact name="Engine">{printable(task.engine)}</Fact>
        {task.queue ? (
          <Fact name="Queue">
            <AppLink href={paths.queue(slug, task.engine, task.queue)}>{printable(task.queue)}</AppLink>
          </Fact>
        ) : null}
        <Fact name="Worker">
          {task.worker_name ? (
            <AppLink href={listOf({ worker: task.worker_name, q: fieldTerm("engine", task.engine) })}>
              {printable(task.worker_name)}
            </AppLink>
          ) : (
            <span className="t3">–</span>
          )}
        </Fact>
        <Fact name="Priority">
          {task.priority === "normal" ? null : <Glyph name={task.priority} />} {task.priority}
        </Fact>
        {task.release ? (
          <Fact name="Release">
            <AppLink href={listOf({ q: `release:${quoted(task.release)}` })}>{printable(task.release)}</AppLink>
          </Fact>
        ) : null}
        <Times task={task} />
        <Fact name="Try">{tryText(task)}</Fact>
        {task.finished_at ? (
          <Fact name={labels.finished}>
            <Age at={task.finished_at} suffix=" ago" />
          </Fact>
        ) : (
          <Fact name="Received">
            <Age at={task.received_at} suffix=" ago" />
          </Fact>
        )}
        {task.tags.length > 0 ? (
          <Fact name="Tags">
            {task.tags.map((tag, at) => (
              <span key={tag}>
                {at > 0 ? ", " : ""}
                <AppLink href={listOf({ q: `tag:${quoted(tag)}` })}>{printable(tag)}</AppLink>
              </span>
            ))}
          </Fact>
        ) : null}
        {task.retry_of ? (
          <Fact name="Retry of">
            <AppLink href={hrefOf(task.engine, task.retry_of)}>{printable(task.retry_of)}</AppLink>
          </Fact>
        ) : null}
        {task.retried_as ? (
          <Fact name="Retried as">
            <AppLink href={hrefOf(task.engine, task.retried_as)}>{printable(task.retried_as)}</AppLink>
          </Fact>
        ) : null}
        {lastCommand ? (
          <Fact name={actionLabel(lastCommand.action)}>
            <CommandState slug={slug} command={lastCommand} />
          </Fact>
        ) : null}
      </dl>
    </header>
  );
}

function Times({ task }: { task: Task }) {
  const now = useNow();
  const life = lifeOf(task, now);
  const hasRun = life.runMs > 0 || task.started_at !== null;
  const isLater = task.retry_count > 0;
  return (
    <>
      <Fact name="Wait">
        {waitText(life)}
        {isLater && life.waitMs !== null ? <span className="t3"> last try</span> : null}
      </Fact>
      <Fact name="Run">
        {life.isLost ? "lost" : hasRun ? duration(life.runMs) : "–"}
        {isLater && hasRun ? <span className="t3"> last try</span> : null}
      </Fact>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
