import type { Task } from "@svc/client";
import { useState } from "react";
import { isOver } from "../history/lifecycle.ts";
import css from "../task.module.css";
import { CauseList } from "./CauseList.tsx";

/** Why a task that has not ended is not running, or not done: asked as soon as one that waits is shown, of others when it is opened. */
export function WhyNot({ slug, task }: { slug: string; task: Task }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  if (isOver(task.state)) return null;
  const isRunning = task.state === "started";
  const isOpen = chosen ?? !isRunning;
  return (
    <details
      className={css.why}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) setChosen(open);
      }}
    >
      <summary>{isRunning ? "Why is it not finished?" : "Why is it not running?"}</summary>
      {isOpen ? <CauseList slug={slug} task={task} /> : null}
    </details>
  );
}
