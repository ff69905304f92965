import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentProps, lazy, Suspense } from "react";
import { Button } from "../../ui/buttons/Button.tsx";
import { drawerClass } from "../../ui/layers/Layers.tsx";
import { ErrorPanel } from "../../ui/panels/Feedback.tsx";
import css from "./list.module.css";

const load = () => import("./detail/TaskDrawer.tsx").then((module) => ({ default: module.TaskDrawer }));
let TaskDrawer = lazy(load);

type DrawerProps = ComponentProps<typeof TaskDrawer>;

// Looks up the file when it is drawn, so that a new try draws the new one.
function Drawer(props: DrawerProps) {
  return <TaskDrawer {...props} />;
}

/** The place of the drawer: whatever breaks in it, the list beside it stays. */
export function DrawerSlot(props: DrawerProps) {
  return (
    <CatchBoundary
      getResetKey={() => `${props.engine}/${props.taskId}`}
      onCatch={() => {
        // A file that could not be loaded would be remembered as such; the next try asks for it again.
        TaskDrawer = lazy(load);
      }}
      errorComponent={({ error, reset }) => (
        <dialog open className={drawerClass} aria-label="Task">
          <div className={css.broken}>
            <Button variant="icon" icon="x" aria-label="Close" title="Close (Esc)" onClick={props.onClose} />
          </div>
          <ErrorPanel title="The task could not be shown" error={error} onRetry={reset} />
        </dialog>
      )}
    >
      <Suspense fallback={null}>
        <Drawer {...props} />
      </Suspense>
    </CatchBoundary>
  );
}
