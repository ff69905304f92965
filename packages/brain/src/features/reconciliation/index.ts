export { sweepStaleTasks } from "./loops.ts";
export { createReconciliation } from "./reconciliation.ts";
export { reconciliationSettings } from "./settings.ts";
