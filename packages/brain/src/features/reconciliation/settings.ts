import { Type } from "typebox";

export const reconciliationSettings = Type.Object({
  SVC_RECONCILIATION_SWEEP_SECONDS: Type.Integer({
    default: 300,
    minimum: 30,
    maximum: 3600,
    description: "seconds between two looks for tasks that have not ended, about which the engines are asked",
  }),
  SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description:
      "seconds since its start, else since it was first seen, after which a task that has not ended is asked about",
  }),
});
