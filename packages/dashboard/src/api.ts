import { createClient } from "@svc/client";
import { connection } from "./live/live.ts";
import { isUnattended } from "./live/user-activity.ts";

export const api = createClient({
  onOutcome: (outcome) => connection.report(outcome.reach),
  isBackground: isUnattended,
});
