import type { Task } from "@svc/client";
import { useState } from "react";
import { isOver } from "../history/lifecycle.ts";
import css from "../task.module.css";
import { CauseList } from "./CauseList.tsx";

/** Explains why an unfinished task is not running or not finished. Open at first for waiting tasks; others load it when opened. */
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
