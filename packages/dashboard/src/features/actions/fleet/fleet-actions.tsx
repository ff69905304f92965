import type { Queue } from "@svc/client";
import { lazy } from "react";
import { type Action, ofEngine } from "../registry/action.ts";
import { type ControlledWorker, workerActs } from "./worker-acts.ts";

const WorkerDialog = lazy(() => import("./WorkerDialog.tsx").then((part) => ({ default: part.WorkerDialog })));
const LimitQueueDialog = lazy(() =>
  import("./LimitQueueDialog.tsx").then((part) => ({ default: part.LimitQueueDialog })),
);
const PurgeDialog = lazy(() => import("./PurgeDialog.tsx").then((part) => ({ default: part.PurgeDialog })));

export const workerActions = workerActs.map(
  ({ act, label, capability }): Action<ControlledWorker> => ({
    id: `worker.${act}`,
    label,
    needs: ofEngine(capability),
    guard: () => null,
    inPalette: { label, icon: "workers", also: "worker control" },
    Dialog: ({ subject, ...rest }) => <WorkerDialog {...rest} worker={subject} act={act} />,
  }),
);

const limitQueue: Action<Queue> = {
  id: "queue.limit",
  label: "Limit rate",
  needs: ofEngine("rate_limit_of_queue"),
  guard: () => null,
  inPalette: { label: "Limit rate of this queue", icon: "queues", also: "slow down" },
  Dialog: ({ subject, ...rest }) => <LimitQueueDialog {...rest} queue={subject} />,
};

const purgeQueue: Action<Queue> = {
  id: "queue.purge",
  label: "Purge",
  icon: "trash",
  role: "admin",
  needs: ofEngine("purge_queue"),
  guard: () => null,
  inPalette: { label: "Purge this queue", also: "empty delete" },
  Dialog: ({ subject, ...rest }) => <PurgeDialog {...rest} queue={subject} />,
};

export const queueActions: readonly Action<Queue>[] = [limitQueue, purgeQueue];
