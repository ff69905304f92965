import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { PageQuery } from "../../platform/http/schemas.ts";
import { originOf } from "../audit/index.ts";
import type { Requester } from "./rules.ts";
import type { Schedules } from "./schedules.ts";
import {
  ClearQuarantineBody,
  ExternalControlOperation,
  OperationParams,
  ScheduleChanges,
  ScheduleCreate,
  ScheduleDetail,
  SchedulePage,
  ScheduleParams,
  SchedulePublic,
  ScheduleQuery,
} from "./schemas.ts";

const tag = "schedules";
const isNative = "The scheduler of the engine defines the schedule (`native_schedule`).";

export const scheduleRoutes: Routes<{
  schedules: Schedules;
  settings: { readonly SVC_PUBLIC_URL: string };
}> = (app, { schedules, settings }) => {
  const base = `${new URL(settings.SVC_PUBLIC_URL).origin}${app.prefix}`;
  const { lists } = schedules;

  operation(app, "GET /projects/:slug/schedules", {
    operationId: "listSchedules",
    summary: "List schedules",
    description: "Lists the schedules of the project by name, those of engines included.",
    querystring: PageQuery,
    response: { 200: SchedulePage },
    policy: { tag, role: "viewer" },
    handler: ({ project, query }) => lists.list(project.id, query),
  });

  operation(app, "POST /projects/:slug/schedules", {
    operationId: "createSchedule",
    summary: "Create a schedule",
    description:
      "Creates a schedule that this service fires. An expression or a time zone that is not valid is refused with `details.reason` and `details.field`.",
    answers: {
      409: "Another schedule has this name (`name_in_use`), or the scheduler is not `svc-scheduler` (`native_scheduler`).",
    },
    body: ScheduleCreate,
    response: { 201: SchedulePublic },
    policy: { tag, role: "admin", keepsNumbers: true },
    handler: async (request) => lists.changed(await schedules.create(request.body, requesterOf(request))),
  });

  operation(app, "GET /projects/:slug/schedules/:schedule_id", {
    operationId: "getSchedule",
    summary: "Get a schedule",
    description: "Returns one schedule, with `preview` also its next slots.",
    params: ScheduleParams,
    querystring: ScheduleQuery,
    response: { 200: ScheduleDetail },
    policy: { tag, role: "viewer" },
    handler: ({ project, params, query }) => lists.get(project.id, idOf(params), query.preview),
  });

  operation(app, "PATCH /projects/:slug/schedules/:schedule_id", {
    operationId: "updateSchedule",
    summary: "Change a schedule",
    description:
      "Changes the given members. When what is fired or when it is fired changes, the next slot is computed from now on.",
    answers: { 409: `${isNative} Or another schedule has this name (\`name_in_use\`).` },
    params: ScheduleParams,
    body: ScheduleChanges,
    response: { 200: SchedulePublic },
    policy: { tag, role: "admin", keepsNumbers: true },
    handler: async (request) =>
      lists.changed(await schedules.update(idOf(request.params), request.body, requesterOf(request))),
  });

  operation(app, "DELETE /projects/:slug/schedules/:schedule_id", {
    operationId: "deleteSchedule",
    summary: "Delete a schedule",
    description: "Deletes a schedule. Tasks that it started continue; fires that wait for an agent are not sent.",
    answers: { 409: isNative },
    params: ScheduleParams,
    response: { 204: Type.Null() },
    policy: { tag, role: "admin" },
    handler: (request) => schedules.remove(idOf(request.params), requesterOf(request)),
  });

  for (const [action, desired] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    operation(app, `POST /projects/:slug/schedules/:schedule_id/${action}`, {
      operationId: `${action}Schedule`,
      summary: desired ? "Enable a schedule" : "Disable a schedule",
      description: `${
        desired ? "Enables the schedule; its next slot is computed from now on." : "Disables the schedule."
      } For a schedule of an engine, the agent is asked to do so, and the response is 202.`,
      answers: {
        202: {
          description: "The agent was asked. `Location` shows how that ends.",
          headers: { Location: "URL of the operation." },
        },
        409: desired
          ? "No slot follows (`never_matches`). For a schedule of an engine: no agent is online that serves its scheduler (`no_online_agent`), or the opposite was requested and is pending (`operation_pending`)."
          : "For a schedule of an engine: no agent is online that serves its scheduler (`no_online_agent`), or the opposite was requested and is pending (`operation_pending`).",
      },
      params: ScheduleParams,
      response: { 200: SchedulePublic, 202: SchedulePublic },
      policy: { tag, role: "operator" },
      handler: async (request, reply) => {
        const { row, operation: sent } = await schedules.setEnabled(
          idOf(request.params),
          desired,
          requesterOf(request),
        );
        if (sent !== null) {
          const slug = encodeURIComponent(request.project.slug);
          const path = `/projects/${slug}/schedules/external-control-operations/${sent.operationId}`;
          reply.code(202).header("location", `${base}${path}`);
        }
        return reply.send(await lists.changed(row));
      },
    });
  }

  operation(app, "POST /projects/:slug/schedules/:schedule_id/pause", {
    operationId: "pauseSchedule",
    summary: "Pause a schedule",
    description: "Holds the schedule until it is resumed. Its slots in that time are not missed.",
    answers: { 409: isNative },
    params: ScheduleParams,
    response: { 200: SchedulePublic },
    policy: { tag, role: "operator" },
    handler: async (request) => lists.changed(await schedules.pause(idOf(request.params), requesterOf(request))),
  });

  operation(app, "POST /projects/:slug/schedules/:schedule_id/resume", {
    operationId: "resumeSchedule",
    summary: "Resume a schedule",
    description: "Ends the hold of an operator. The next slot is computed from now on.",
    answers: { 409: isNative },
    params: ScheduleParams,
    response: { 200: SchedulePublic },
    policy: { tag, role: "operator" },
    handler: async (request) => lists.changed(await schedules.resume(idOf(request.params), requesterOf(request))),
  });

  operation(app, "POST /projects/:slug/schedules/:schedule_id/clear-quarantine", {
    operationId: "clearScheduleQuarantine",
    summary: "Release a schedule from quarantine",
    description:
      "Releases a schedule that a scheduler could not fire. Correct its definition first. The next slot is computed from now on.",
    answers: {
      409: `${isNative} Or it has changed since you saw it (\`stale_control_token\`, with \`live_control_token\`).`,
    },
    params: ScheduleParams,
    body: ClearQuarantineBody,
    response: { 200: SchedulePublic },
    policy: { tag, role: "admin" },
    handler: async (request) => {
      const { observed_control_token: observed } = request.body;
      return lists.changed(await schedules.clearQuarantine(idOf(request.params), observed, requesterOf(request)));
    },
  });

  operation(app, "GET /projects/:slug/schedules/external-control-operations/:operation_id", {
    operationId: "getExternalControlOperation",
    summary: "Get an operation on a schedule of an engine",
    description: "Returns how a request to enable or disable a schedule of an engine's scheduler ended.",
    params: OperationParams,
    response: { 200: ExternalControlOperation },
    policy: { tag, role: "viewer" },
    handler: ({ project, params }) => schedules.operation(project.id, params.operation_id.toLowerCase()),
  });
};

const idOf = ({ schedule_id: id }: { schedule_id: string }): string => id.toLowerCase();

const requesterOf = (request: Pick<FastifyRequest, "project" | "caller" | "clientAddress" | "headers">): Requester => ({
  projectId: request.project.id,
  origin: originOf(request),
});
