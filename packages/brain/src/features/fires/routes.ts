import type { FastifyRequest } from "fastify";
import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { Schedules } from "../schedules/index.ts";
import type { Fires } from "./fires.ts";
import type { FireRequester } from "./operations/trigger.ts";
import {
  FireList,
  FireQuery,
  MisfireList,
  MisfireQuery,
  ResolveBody,
  Resolved,
  RunQuery,
  Runs,
  ScheduleParams,
  Triggered,
} from "./schemas.ts";
import { publicFire } from "./shapes.ts";

const tag = "schedules";

export const fireRoutes: Routes<{
  fires: Pick<Fires, "lists" | "trigger" | "resolve">;
  schedules: Pick<Schedules, "lists">;
}> = (app, { fires, schedules }) => {
  const { lists } = fires;

  operation(app, "GET /projects/:slug/schedules/runs", {
    operationId: "listScheduleRuns",
    summary: "List the newest runs of schedules",
    description:
      "Returns the newest fires of up to 500 schedules, in the order of the ids and each schedule once. A schedule that never fired has an empty list; ids of other projects are left out.",
    querystring: RunQuery,
    response: { 200: Runs },
    policy: { tag, role: "viewer" },
    handler: ({ project, query }) => lists.runs(project.id, query.id, query.limit),
  });

  operation(app, "GET /projects/:slug/schedules/misfires", {
    operationId: "listMisfires",
    summary: "List misfires",
    description:
      "Lists slots of the project's schedules that were not fired in time, and runs that started too late or took too long, newest first.",
    querystring: MisfireQuery,
    response: { 200: MisfireList },
    policy: { tag, role: "viewer" },
    handler: ({ project, query }) => lists.misfires(project.id, query.limit),
  });

  operation(app, "GET /projects/:slug/schedules/:schedule_id/misfires", {
    operationId: "listScheduleMisfires",
    summary: "List the misfires of a schedule",
    description: "As the misfires of the project, of one schedule.",
    params: ScheduleParams,
    querystring: MisfireQuery,
    response: { 200: MisfireList },
    policy: { tag, role: "viewer" },
    handler: ({ project, params, query }) => lists.misfiresOf(scheduleOf(project.id, params), query.limit),
  });

  operation(app, "GET /projects/:slug/schedules/:schedule_id/fires", {
    operationId: "listFires",
    summary: "List the fires of a schedule",
    description:
      "Lists the fires of a schedule, newest first. Only schedules that this service fires have any; the runs of engines' own schedules are their tasks.",
    params: ScheduleParams,
    querystring: FireQuery,
    response: { 200: FireList },
    policy: { tag, role: "viewer" },
    handler: ({ project, params, query }) => lists.fires(scheduleOf(project.id, params), query.limit),
  });

  operation(app, "POST /projects/:slug/schedules/:schedule_id/trigger", {
    operationId: "triggerSchedule",
    summary: "Run a schedule now",
    description:
      "Starts the task of the schedule once. Its slots do not change. A disabled schedule can be run; a paused or quarantined one cannot.",
    answers: {
      404: "No such schedule; or no agent can run it: none is online (`no_online_agent`), none serves the engine (`engine_not_installed`), none serves its scheduler (`scheduler_not_installed`).",
      409: "The schedule is paused (`schedule_paused`) or quarantined (`schedule_quarantined`), or the agents of its engine cannot run it (`schedule_not_runnable`).",
    },
    params: ScheduleParams,
    response: { 202: Triggered },
    policy: { tag, role: "operator", bucket: "bulk" },
    async handler(request) {
      const { schedule, commandId, fireId } = await fires.trigger(idOf(request.params), requesterOf(request));
      return { ...(await schedules.lists.changed(schedule)), command_id: commandId, fire_id: fireId };
    },
  });

  operation(app, "POST /projects/:slug/schedules/:schedule_id/resolve-terminal-fire", {
    operationId: "resolveFire",
    summary: "End a fire",
    description:
      "Ends a fire whose outcome is unknown, because it is open or timed out. The task itself is not stopped: it may have run, or may still run.",
    answers: {
      409: "Fire or schedule have changed since you saw them, or the fire has ended with a known outcome; `details` has `disposition`, the present `status`, and `live_control_token`.",
    },
    params: ScheduleParams,
    body: ResolveBody,
    response: { 200: Resolved },
    policy: { tag, role: "operator" },
    async handler(request) {
      const { body } = request;
      const { disposition, schedule, fire } = await fires.resolve(
        idOf(request.params),
        {
          fireId: body.fire_id.toLowerCase(),
          expectedStatus: body.expected_status,
          resolution: body.resolution,
          observedControlToken: body.observed_control_token,
          enabledAfterResolution: body.enabled_after_resolution ?? true,
        },
        requesterOf(request),
      );
      return { disposition, schedule: await schedules.lists.changed(schedule), fire: publicFire(fire) };
    },
  });
};

const idOf = ({ schedule_id: id }: { readonly schedule_id: string }): string => id.toLowerCase();

const scheduleOf = (projectId: string, params: { readonly schedule_id: string }) => ({
  projectId,
  scheduleId: idOf(params),
});

const requesterOf = (request: FastifyRequest): FireRequester => ({
  projectId: request.project.id,
  userId: request.actor.user.id,
  origin: originOf(request),
});
