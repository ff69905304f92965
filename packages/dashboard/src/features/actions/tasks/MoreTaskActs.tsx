import type { Task } from "@svc/client";
import { lazy, Suspense, useState } from "react";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { Menu, menuItem, menuReason } from "../../../ui/layers/Layers.tsx";
import { taskKey } from "../../tasks/task-address.ts";
import { useAble } from "../requests/use-act.ts";

const RetryDialog = lazy(() => import("./RetryDialog.tsx").then((part) => ({ default: part.RetryDialog })));
const WorkerDialog = lazy(() => import("../fleet/WorkerDialog.tsx").then((part) => ({ default: part.WorkerDialog })));

interface MoreTaskActsProps {
  slug: string;
  task: Pick<Task, "id" | "engine" | "task_id" | "name" | "worker_name">;
  /** Why it cannot be retried; null where it can. */
  retryReason: string | null;
}

/** What is done with one task less often: a retry with other inputs, and a limit to how often its worker begins tasks of its name. */
export function MoreTaskActs({ slug, task, retryReason }: MoreTaskActsProps) {
  const { engine, name, worker_name: workerName } = task;
  const taskId = taskKey(task);
  const [asked, setAsked] = useState<"change" | "limit" | null>(null);
  const limit = useAble(slug, { engine, capability: "rate_limit_of_worker" });
  const close = () => setAsked(null);
  const entries = [
    { act: "change", icon: "retry", words: "Retry with changes", reason: retryReason },
    {
      act: "limit",
      icon: "schedules",
      words: "Rate-limit this name",
      reason: limit.reason ?? (workerName === null ? "No worker has taken it yet" : null),
    },
  ] as const;
  return (
    <>
      <Menu
        button={<Icon name="down" />}
        buttonClass={controls.ib}
        buttonLabel="More: act on this task"
        label="Act on this task"
      >
        {entries.map(({ act, icon, words, reason }) => (
          <button
            key={act}
            type="button"
            data-entry=""
            {...(reason === null ? {} : { "data-stay": "" })}
            className={menuItem}
            aria-disabled={reason !== null}
            onClick={() => reason === null && setAsked(act)}
          >
            <Icon name={icon} />
            <span className="grow">
              {words}
              {reason === null ? null : <span className={menuReason}>{reason}</span>}
            </span>
          </button>
        ))}
      </Menu>
      <Suspense fallback={null}>
        {asked === "change" ? <RetryDialog {...{ slug, engine, taskId }} isChanged onClose={close} /> : null}
        {asked === "limit" && workerName !== null ? (
          <WorkerDialog
            slug={slug}
            worker={{ engine, name: workerName, queues: [], concurrency: null }}
            act="rate"
            taskName={name}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </>
  );
}
