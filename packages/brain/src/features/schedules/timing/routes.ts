import { operation, type Routes } from "../../../platform/http/app.ts";
import type { Schedules } from "../schedules.ts";
import { Forecast, ForecastQuery, Preview, PreviewQuery } from "./schemas.ts";

const tag = "schedules";

export const scheduleTimingRoutes: Routes<{ schedules: Schedules }> = (app, { schedules }) => {
  operation(app, "GET /projects/:slug/schedules/forecast", {
    operationId: "getScheduleForecast",
    summary: "Get a forecast of fires",
    description:
      "Counts what the schedules of this service will fire in the next days, by hour in the time zone of the project and by quarter of an hour, and finds minutes in which several fire. `move` is a change that ends such a collision.",
    querystring: ForecastQuery,
    response: { 200: Forecast },
    policy: { tag, role: "viewer", heavy: true },
    handler: ({ project, query }) => schedules.forecast(project.id, query),
  });

  operation(app, "GET /projects/:slug/schedules/preview", {
    operationId: "previewSchedule",
    summary: "Preview an expression",
    description:
      "Returns what an expression means: in words, its next slots, changes of clocks that affect it, other schedules in the same minutes, and a free minute. An expression or a time zone that is not valid is refused with `details.reason` and `details.field`.",
    querystring: PreviewQuery,
    response: { 200: Preview },
    policy: { tag, role: "viewer", heavy: true },
    handler: ({ project, query }) => schedules.preview(project.id, query),
  });
};
