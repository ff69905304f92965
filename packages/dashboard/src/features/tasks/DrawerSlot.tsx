import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentProps, lazy, Suspense } from "react";
import { Button } from "../../ui/buttons/Button.tsx";
import { drawerClass } from "../../ui/layers/Layers.tsx";
import { ErrorPanel } from "../../ui/panels/Feedback.tsx";
import css from "./list.module.css";

const load = () => import("./detail/TaskDrawer.tsx").then((module) => ({ default: module.TaskDrawer }));
let TaskDrawer = lazy(load);

type DrawerProps = ComponentProps<typeof TaskDrawer>;

// Reads the variable on each render, so that a retry renders the newly loaded component.
function Drawer(props: DrawerProps) {
  return <TaskDrawer {...props} />;
}

/** Renders the drawer inside an error boundary, so that its errors do not affect the list. */
export function DrawerSlot(props: DrawerProps) {
  return (
    <CatchBoundary
      getResetKey={() => `${props.engine}/${props.taskId}`}
      onCatch={() => {
        // `lazy` remembers a failed import, so a retry needs a new one.
        TaskDrawer = lazy(load);
      }}
      errorComponent={({ error, reset }) => (
        <dialog open className={drawerClass} aria-label="Task">
          <div className={css.broken}>
            <Button variant="icon" icon="x" aria-label="Close" title="Close (Esc)" onClick={props.onClose} />
          </div>
          <ErrorPanel title="Couldn't show the task" error={error} onRetry={reset} />
        </dialog>
      )}
    >
      <Suspense fallback={null}>
        <Drawer {...props} />
      </Suspense>
    </CatchBoundary>
  );
}
