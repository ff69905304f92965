import { createClient, type Reachability } from "@svc/client";
import { noteServerTime } from "../live/server-clock.ts";
import { isUnattended } from "../live/user-activity.ts";
import { passGate } from "./second-factor-gate.ts";

let lastReach: Reachability | null = null;
let onReach: (reach: Reachability) => void = () => {};

/** Callbacks after each request, in order. */
export function whenReached(run: (reach: Reachability) => void): void {
  onReach = run;
  if (lastReach !== null) run(lastReach);
}

export const api = createClient({
  onOutcome({ reach, serverTimeMs }) {
    noteServerTime(serverTimeMs);
    lastReach = reach;
    onReach(reach);
  },
  isBackground: isUnattended,
  passGate,
});
