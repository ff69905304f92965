import { lazy, useSyncExternalStore } from "react";
import { TaskDialog } from "../features/actions/tasks/TaskCommands.tsx";
import { closeOverlay, type OverlayProps } from "../shell/overlay.ts";
import { asked } from "./asked.ts";

const WorkerDialog = lazy(() =>
  import("../features/actions/fleet/WorkerDialog.tsx").then((part) => ({ default: part.WorkerDialog })),
);
const PurgeDialog = lazy(() =>
  import("../features/actions/fleet/PurgeDialog.tsx").then((part) => ({ default: part.PurgeDialog })),
);
const LimitQueueDialog = lazy(() =>
  import("../features/actions/fleet/LimitQueueDialog.tsx").then((part) => ({ default: part.LimitQueueDialog })),
);
const RetryIssueDialog = lazy(() =>
  import("../features/issues/RetryIssue.tsx").then((part) => ({ default: part.RetryIssueDialog })),
);
const SendAgainDialog = lazy(() =>
  import("../features/actions/commands/SendAgainDialog.tsx").then((part) => ({ default: part.SendAgainDialog })),
);

/** The form of what was chosen in the palette. */
export function AskedDialog({ slug }: OverlayProps) {
  const what = useSyncExternalStore(asked.subscribe, asked.get);
  if (what === null || slug === null) return null;
  const props = { slug, onClose: closeOverlay };
  switch (what.kind) {
    case "task":
      return <TaskDialog {...props} act={what.act} engine={what.engine} taskId={what.taskId} />;
    case "worker":
      return <WorkerDialog {...props} act={what.act} worker={what.worker} />;
    case "queue":
      return what.act === "purge" ? (
        <PurgeDialog {...props} queue={what.queue} />
      ) : (
        <LimitQueueDialog {...props} queue={what.queue} />
      );
    case "issue":
      return <RetryIssueDialog {...props} fingerprint={what.fingerprint} />;
    case "command":
      return <SendAgainDialog {...props} command={what.command} />;
  }
}
