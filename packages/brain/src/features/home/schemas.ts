import { Type } from "typebox";
import { Instant, Nullable, OneOf, Uuid } from "../../platform/http/schemas.ts";

const figures = {
  tasks_24h: Type.Integer({ description: "tasks that ended in the last 24 h, with any outcome" }),
  failures_24h: Type.Integer(),
  failure_rate_24h: Type.Number({ description: "of those that succeeded or failed" }),
  workers_online: Type.Integer(),
  workers_total: Type.Integer(),
  agents_online: Type.Integer(),
  agents_total: Type.Integer(),
  stuck_commands: Type.Integer({ description: "open for more than half of their time" }),
};

export const SummaryReply = Type.Object(
  {
    user: Type.Object({
      id: Uuid,
      email: Type.String(),
      display_name: Nullable(Type.String()),
      is_admin: Type.Boolean(),
    }),
    aggregate: Type.Object(figures, { title: "HomeFigures", description: "Figures of the last 24 hours." }),
    projects: Type.Array(
      Type.Object(
        {
          id: Uuid,
          slug: Type.String(),
          name: Type.String(),
          environment: Type.String(),
          role: Nullable(OneOf(["viewer", "operator", "admin", "auditor"], { title: "ProjectRole" })),
          ...figures,
          last_activity_at: Type.Union([Instant, Type.Null()], {
            description: "start of the newest minute with stored events, of the hour when it is more than 48 h ago",
          }),
          health: OneOf(["idle", "offline", "degraded", "healthy"], { title: "ProjectHealth" }),
          backlog: Type.Integer({ description: "tasks that wait in its queues, as last reported" }),
          tasks_by_hour: Type.Array(Type.Integer(), {
            description: "tasks that ended in each of the last 24 UTC hours; the last one is the running hour",
          }),
        },
        { title: "HomeProject", description: "A project with its figures." },
      ),
    ),
    attention: Type.Array(
      Type.Object(
        {
          kind: OneOf([
            "agents_offline",
            "failure_rate",
            "stuck_commands",
            "issue_spike",
            "misfires",
            "breaker_tripped",
          ]),
          severity: OneOf(["critical", "warning"]),
          project_id: Uuid,
          project_slug: Type.String(),
          project_name: Type.String(),
          message: Type.String(),
          count: Nullable(Type.Integer()),
          since: Nullable(Instant),
          issue: Type.Optional(
            Type.Object(
              {
                fingerprint: Type.String(),
                sample_exception: Nullable(
                  Type.String({ description: "of its newest failure, the first 2000 characters" }),
                ),
                sample_task_name: Nullable(Type.String()),
              },
              { description: "of `issue_spike` only: the failures that look alike" },
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
});

export const FailuresReply = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Uuid,
          occurred_at: Instant,
          project_id: Uuid,
          project_slug: Type.String(),
          project_name: Type.String(),
          engine: Type.String(),
          task_id: Type.String(),
          task_name: Nullable(Type.String()),
          worker: Nullable(Type.String()),
          exception: Nullable(Type.String({ description: "the first 2000 characters" })),
          priority: Type.String(),
        },
        { title: "RecentFailure", description: "A failed task of some project." },
      ),
    ),
    next_cursor: Nullable(Type.String()),
  },
  { title: "RecentFailurePage", description: "One page of failures." },
);
