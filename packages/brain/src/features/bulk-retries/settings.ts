import { Type } from "typebox";

export const bulkRetrySettings = Type.Object({
  SVC_BULK_RETRY_SCAN_SECONDS: Type.Number({
    default: 1,
    minimum: 0.1,
    maximum: 60,
    description: "seconds between two looks at the open bulk retries; results of their commands move them on at once",
  }),
  SVC_BULK_RETRY_MAX_IN_FLIGHT: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 256,
    description: "tasks of one bulk retry that may be on their way at a time; holds for requests made from then on",
  }),
  SVC_BULK_RETRY_PARENT_TIMEOUT_SECONDS: Type.Integer({
    default: 900,
    minimum: 30,
    maximum: 86_400,
    description: "seconds after which a bulk retry with unsent tasks is blocked; resuming it begins them anew",
  }),
  SVC_BULK_RETRY_SCAN_BATCH: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1000,
    description: "open bulk retries read by one statement of a look",
  }),
});
