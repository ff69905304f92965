import { Type } from "typebox";
import { Described, Instant, NextCursor, Nullable, OneOf, timeRange, Uuid } from "../../platform/http/schemas.ts";
import { ProjectRole } from "../memberships/index.ts";
import { missingMeans } from "../stats/index.ts";

const figures = {
  tasks_24h: Type.Integer({
    description: "tasks that finished in the last 24 h: succeeded, failed, were revoked or rejected",
  }),
  failures_24h: Type.Integer({ description: "tasks that failed in the last 24 h" }),
  failure_rate_24h: Type.Number({ description: "share of failures among tasks that succeeded or failed, 0 to 1" }),
  workers_online: Type.Integer({ description: "workers that are online now" }),
  workers_total: Type.Integer({ description: "known workers" }),
  agents_online: Type.Integer({ description: "agents that are online now" }),
  workers_missing: Type.Integer({ description: missingMeans }),
  agents_offline: Type.Integer({ description: "agents that are not online now, except those that never connected" }),
  agents_total: Type.Integer({ description: "agents that are not revoked" }),
  stuck_commands: Type.Integer({ description: "commands open for more than half of their time limit" }),
};

export const SummaryReply = Type.Object(
  {
    user: Type.Object(
      {
        id: Described(Uuid, "id of the account"),
        email: Type.String({ description: "address that the user signs in with" }),
        display_name: Nullable(Type.String(), "name shown to others; null if not set"),
        is_admin: Type.Boolean({ description: "whether the user administers the instance" }),
      },
      { description: "the caller" },
    ),
    aggregate: Type.Object(figures, { title: "HomeFigures", description: "Figures of the last 24 hours." }),
    projects: Type.Array(
      Type.Object(
        {
          id: Described(Uuid, "id of the project"),
          slug: Type.String({ description: "name in URLs" }),
          name: Type.String({ description: "display name" }),
          environment: Type.String({ description: "such as production or staging" }),
          role: Nullable(ProjectRole, "role of the caller; null for an instance administrator without a role"),
          ...figures,
          last_activity_at: Type.Union([Instant, Type.Null()], {
            description: "start of the newest minute with stored events, or of the hour when more than 48 h ago",
          }),
          health: OneOf(["idle", "offline", "degraded", "healthy"], {
            title: "ProjectHealth",
            description:
              "idle: no agent ever connected; offline: no agent is online; degraded: more than 5 % failures, a stuck command, an offline agent, a missing worker or a queue with waiting tasks but no worker; healthy: none of these",
          }),
          backlog: Type.Integer({ description: "waiting tasks in its queues, as last reported" }),
          tasks_by_hour: Type.Array(Type.Integer(), {
            description: "tasks that ended in each of the last 24 UTC hours; the last one is the current hour",
          }),
        },
        { title: "HomeProject", description: "A project with its figures." },
      ),
    ),
    attention: Type.Array(
      Type.Object(
        {
          kind: OneOf(
            [
              "agents_offline",
              "workers_missing",
              "queues_without_workers",
              "failure_rate",
              "stuck_commands",
              "issue_spike",
              "misfires",
              "breaker_tripped",
            ],
            {
              description:
                "what is wrong; `misfires`: runs of schedules that were missed, late or too long; `breaker_tripped`: schedules that were disabled after repeated failures",
            },
          ),
          severity: OneOf(["critical", "warning"], { description: "how urgent it is" }),
          project_id: Described(Uuid, "id of the project"),
          project_slug: Type.String({ description: "slug of the project" }),
          project_name: Type.String({ description: "name of the project" }),
          message: Type.String({ description: "one sentence without the project's name" }),
          count: Nullable(
            Type.Integer(),
            "number of affected agents, workers, queues, failures, commands, runs or schedules; null without a number",
          ),
          since: Nullable(Instant, "when it started; null when unknown"),
          issue: Type.Optional(
            Type.Object(
              {
                fingerprint: Type.String({ description: "fingerprint of the issue" }),
                sample_exception: Nullable(
                  Type.String({ description: "exception of the newest failure; first 2000 characters" }),
                ),
                sample_task_name: Nullable(Type.String(), "task name of the newest failure; null when unknown"),
              },
              { description: "the similar failures; only with `issue_spike`" },
            ),
          ),
        },
        { title: "HomeAttention", description: "Something that needs attention." },
      ),
      { description: "critical first" },
    ),
  },
  { title: "HomeSummary", description: "The figures of all projects that the caller sees." },
);

export const FailuresQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "default 50" })),
  cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page" })),
  project: Type.Optional(Type.String({ maxLength: 200, description: "slug of a project; only its failures" })),
  ...timeRange,
});

export const FailuresReply = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Described(Uuid, "id of the event"),
          occurred_at: Described(Instant, "when the task failed"),
          project_id: Described(Uuid, "id of the project"),
          project_slug: Type.String({ description: "slug of the project" }),
          project_name: Type.String({ description: "name of the project" }),
          engine: Type.String({ description: "name of the engine" }),
          task_id: Type.String({ description: "id of the task in its engine" }),
          task_name: Nullable(Type.String(), "function or job name; null when not reported"),
          worker: Nullable(Type.String(), "worker that ran it; null when not reported"),
          exception: Nullable(Type.String({ description: "first 2000 characters" })),
          priority: Type.String({ description: "urgency, from critical to low" }),
        },
        { title: "RecentFailure", description: "A failed task of some project." },
      ),
    ),
    next_cursor: NextCursor,
  },
  { title: "RecentFailurePage", description: "One page of failures." },
);
