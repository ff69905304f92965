import { Type } from "typebox";

export const reconciliationSettings = Type.Object({
  SVC_RECONCILIATION_SWEEP_SECONDS: Type.Integer({
    default: 300,
    minimum: 30,
    maximum: 3600,
    description: "interval between scans for unfinished tasks to check with their engines, in seconds",
  }),
  SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description:
      "seconds after the start of an unfinished task, or after it was first seen, before it is checked with its engine",
  }),
});
