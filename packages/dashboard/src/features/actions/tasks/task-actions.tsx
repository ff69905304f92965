import type { Task } from "@svc/client";
import { lazy } from "react";
import { taskKey } from "../../task-data/index.ts";
import { type Action, ask, ofEngine } from "../registry/action.ts";
import { cancelRule, retryRule, type TaskSubject } from "./task-rules.ts";

const RetryDialog = lazy(() => import("./RetryDialog.tsx").then((part) => ({ default: part.RetryDialog })));
const CancelDialog = lazy(() => import("./CancelDialog.tsx").then((part) => ({ default: part.CancelDialog })));
const WorkerDialog = lazy(() => import("../fleet/WorkerDialog.tsx").then((part) => ({ default: part.WorkerDialog })));

type Named = Pick<Task, "id" | "engine" | "task_id" | "state" | "name" | "worker_name">;

export const taskSubject = (task: Named): TaskSubject => ({
  engine: task.engine,
  taskId: taskKey(task),
  state: task.state,
  name: task.name,
  workerName: task.worker_name,
});

export const retryTask = {
  ...retryRule,
  id: "task.retry",
  label: "Retry",
  icon: "retry",
  keys: "r",
  inPalette: { label: "Retry this task", also: "again" },
  Dialog: ({ subject: { engine, taskId }, ...rest }) => <RetryDialog {...rest} {...{ engine, taskId }} />,
} satisfies Action<TaskSubject>;

export const cancelTask = {
  ...cancelRule,
  id: "task.cancel",
  label: "Cancel",
  icon: "x",
  keys: "c",
  inPalette: { label: "Cancel this task", also: "stop" },
  Dialog: ({ subject: { engine, taskId }, ...rest }) => <CancelDialog {...rest} {...{ engine, taskId }} />,
} satisfies Action<TaskSubject>;

export const retryWithChanges: Action<TaskSubject> = {
  ...retryRule,
  id: "task.retry-with-changes",
  label: "Retry with changes",
  icon: "retry",
  Dialog: ({ subject: { engine, taskId }, ...rest }) => <RetryDialog {...rest} {...{ engine, taskId }} isChanged />,
};

/** Limits how often the worker of a task starts tasks with its name. */
export const limitName: Action<TaskSubject> = {
  id: "task.limit-name",
  label: "Limit rate of this task name",
  icon: "schedules",
  needs: ofEngine("rate_limit_of_worker"),
  guard: ({ workerName }) => (workerName ? null : "No worker has started it yet"),
  Dialog: ({ subject: { engine, name, workerName }, ...rest }) => (
    <WorkerDialog
      {...rest}
      worker={{ engine, name: workerName ?? "", queues: [], concurrency: null }}
      act="rate"
      taskName={name ?? ""}
    />
  ),
};

export const taskActions: readonly Action<TaskSubject>[] = [retryTask, cancelTask, retryWithChanges, limitName];

/** The keyboard shortcuts of the actions on a task; without a task they do nothing. */
export const taskKeys = (task: TaskSubject | undefined): Record<string, () => void> =>
  Object.fromEntries(
    taskActions.flatMap((action) =>
      action.keys === undefined ? [] : [[action.keys, () => task && ask(action, task)]],
    ),
  );
