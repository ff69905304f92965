import type { Task } from "@svc/client";
import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentProps, lazy, Suspense, useState } from "react";
import { Bones, Failed } from "../../../../ui/panels/Feedback.tsx";
import { isOver } from "../history/lifecycle.ts";
import css from "../task.module.css";

const load = () => import("./CauseList.tsx").then((module) => ({ default: module.CauseList }));
let CauseList = lazy(load);

// Looks up the file when it is drawn, so that a new try draws the new one.
function Causes(props: ComponentProps<typeof CauseList>) {
  return <CauseList {...props} />;
}

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
      {isOpen ? (
        <CatchBoundary
          getResetKey={() => task.id}
          onCatch={() => {
            // A file that could not be loaded would be remembered as such; the next try asks for it again.
            CauseList = lazy(load);
          }}
          errorComponent={({ error, reset }) => (
            <Failed isPart title="The causes could not be shown" error={error} onRetry={reset} />
          )}
        >
          <Suspense fallback={<Bones rows={2} label="Loading the causes" />}>
            <Causes slug={slug} task={task} />
          </Suspense>
        </CatchBoundary>
      ) : null}
    </details>
  );
}
