import { operation, type Routes } from "../../platform/http/app.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Core } from "../../schema/tables/index.ts";
import { explainTask } from "./explain.ts";
import { ExplainParams, TaskExplanation } from "./schemas.ts";

export const explainRoutes: Routes<Core> = (app, { database, clock }) => {
  operation(app, "GET /projects/:slug/tasks/:engine/:task_id/explain", {
    operationId: "explainTask",
    summary: "Explain why a task is not running",
    description:
      "Returns the likely reasons why the task has not started or finished. Uses stored data only; no agent is contacted.",
    params: ExplainParams,
    response: { 200: TaskExplanation },
    policy: { tag: "tasks", role: "viewer", heavy: true },
    handler: async ({ params, project }) => {
      const address = { projectId: project.id, engine: params.engine, taskId: params.task_id };
      const explanation = await explainTask(database, address, clock.now());
      if (explanation === null) throw new ApiError("not_found", { resource: "task" });
      return explanation;
    },
  });
};
