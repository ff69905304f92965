import { Type } from "typebox";

export const bulkRetrySettings = Type.Object({
  SVC_BULK_RETRY_SCAN_SECONDS: Type.Number({
    default: 1,
    minimum: 0.1,
    maximum: 60,
    description:
      "interval between scans of open bulk retries, in seconds; the result of a command continues its bulk retry at once",
  }),
  SVC_BULK_RETRY_MAX_IN_FLIGHT: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 256,
    description: "maximum tasks in flight per bulk retry; a change applies to new bulk retries only",
  }),
  SVC_BULK_RETRY_PARENT_TIMEOUT_SECONDS: Type.Integer({
    default: 900,
    minimum: 30,
    maximum: 86_400,
    description: "seconds after which a bulk retry with unsent tasks is blocked; resuming it restarts the time",
  }),
  SVC_BULK_RETRY_SCAN_BATCH: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1000,
    description: "maximum open bulk retries that a scan reads per statement",
  }),
});
