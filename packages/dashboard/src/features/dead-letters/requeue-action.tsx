import { lazy } from "react";
import type { Action } from "../actions/index.ts";
import type { ChosenDeadLetters } from "./RequeueDialog.tsx";

/** Puts dead letters back into their queues. */
export const requeueDeadLetters: Action<ChosenDeadLetters> = {
  id: "dead-letters.requeue",
  label: "Requeue dead letters",
  icon: "retry",
  needs: () => [],
  guard: ({ deadLetters }) => (deadLetters.length === 0 ? "Select dead letters first" : null),
  Dialog: lazy(() => import("./RequeueDialog.tsx").then((part) => ({ default: part.RequeueDialog }))),
};
