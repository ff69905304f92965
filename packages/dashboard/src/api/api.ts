import { createClient } from "@svc/client";
import { connection } from "../live/live.ts";
import { noteServerTime } from "../live/server-clock.ts";
import { isUnattended } from "../live/user-activity.ts";
import { passGate } from "./second-factor-gate.ts";

export const api = createClient({
  onOutcome({ reach, serverTimeMs }) {
    noteServerTime(serverTimeMs);
    connection.report(reach);
  },
  isBackground: isUnattended,
  passGate,
});
