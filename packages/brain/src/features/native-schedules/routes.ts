import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { NativeSchedules } from "./native-schedules.ts";
import { ScheduleResync } from "./schemas.ts";

const tag = "schedules";

export const nativeScheduleRoutes: Routes<{ nativeSchedules: NativeSchedules }> = (app, { nativeSchedules }) => {
  // The router reads a double colon as a colon.
  operation(app, "POST /projects/:slug/schedules::resync", {
    operationId: "resyncSchedules",
    summary: "Resync schedules of engines",
    description:
      "Asks every online agent with a scheduler to report all its schedules. They are updated as the reports arrive. Agents without such a scheduler are not asked.",
    response: { 202: ScheduleResync },
    policy: { tag, role: "admin", bucket: "bulk" },
    handler: (request) => nativeSchedules.resync({ projectId: request.project.id, origin: originOf(request) }),
  });
};
