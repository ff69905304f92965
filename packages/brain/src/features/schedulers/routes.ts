import { operation, type Routes } from "../../platform/http/app.ts";
import type { Schedulers } from "./schedulers.ts";
import { SchedulerList } from "./schemas.ts";

export const schedulerRoutes: Routes<{ schedulers: Schedulers }> = (app, { schedulers }) => {
  operation(app, "GET /schedulers", {
    operationId: "listSchedulers",
    summary: "List schedulers",
    description:
      "Asks the embedded scheduler and those of SVC_SCHEDULER_INFO_URLS for their version, leadership and connection to the service.",
    response: { 200: SchedulerList },
    policy: { tag: "schedulers", globalAdmin: true },
    handler: () => schedulers.list(),
  });
};
