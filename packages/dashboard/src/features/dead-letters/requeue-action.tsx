import { lazy } from "react";
import type { Action } from "../actions/index.ts";
import type { ChosenLetters } from "./RequeueDialog.tsx";

/** Puts dead letters back into their queues. */
export const requeueLetters: Action<ChosenLetters> = {
  id: "dead-letters.requeue",
  label: "Requeue",
  icon: "retry",
  needs: () => [],
  guard: ({ letters }) => (letters.length === 0 ? "Tick the letters first" : null),
  Dialog: lazy(() => import("./RequeueDialog.tsx").then((part) => ({ default: part.RequeueDialog }))),
};
