import { Type } from "typebox";

export const bulkRetrySettings = Type.Object({
  SVC_BULK_RETRY_SCAN_SECONDS: Type.Number({
    default: 1,
    minimum: 0.1,
    maximum: 60,
    description:
      "interval between scans of open bulk retries, in seconds; results of their commands continue them at once",
  }),
  SVC_BULK_RETRY_MAX_IN_FLIGHT: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 256,
    description: "maximum tasks of one bulk retry in flight; applies to new bulk retries",
  }),
  SVC_BULK_RETRY_PARENT_TIMEOUT_SECONDS: Type.Integer({
    default: 900,
    minimum: 30,
    maximum: 86_400,
    description: "seconds until a bulk retry with unsent tasks is blocked; resuming it restarts the time",
  }),
  SVC_BULK_RETRY_SCAN_BATCH: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1000,
    description: "open bulk retries read by one statement of a scan",
  }),
});
