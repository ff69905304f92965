import type { FastifyRequest, FastifySchema } from "fastify";
import type { Static, TObject } from "typebox";
import type { RoutePolicy } from "../../platform/http/access/policy.ts";
import { operation, plainSerializer, type Routes } from "../../platform/http/app.ts";
import type { PageSizes } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { PageQuery, ProjectParams } from "../../platform/http/schemas.ts";
import type { Core } from "../../schema/tables/index.ts";
import { type Audit, originOf } from "../audit/index.ts";
import { type CommandRequest, createPlace, type PlaceDeps } from "./issuing/place.ts";
import * as requests from "./issuing/requests.ts";
import { unknownTasks } from "./issuing/task-reads.ts";
import { getCommand, listCommands, listTaskCommands } from "./list.ts";
import {
  BulkRetryCommandBody,
  CommandPage,
  CommandParams,
  CommandPublic,
  CommandQuery,
  ConsumerBody,
  PoolResizeBody,
  PurgeQueueBody,
  RateLimitBody,
  RetryTaskBody,
  TaskBody,
  TaskCommandPage,
  TaskCommandParams,
  WorkerBody,
} from "./schemas.ts";
import { publicCommand } from "./shapes.ts";

export interface CommandRouteDeps extends Core {
  readonly audit: Pick<Audit, "record">;
  readonly commands: Pick<PlaceDeps, "issue">;
  readonly settings: PageSizes;
  /** Size limit of a frame to an agent, in bytes. */
  readonly maxFrameBytes: number;
  secretOf(projectId: string): Uint8Array;
}

/** What differs between the command routes. */
interface CommandOperation<Body extends TObject>
  extends Pick<FastifySchema, "operationId" | "summary" | "description" | "answers"> {
  body: Body;
  requestOf: (body: Static<Body>, request: FastifyRequest) => CommandRequest | Promise<CommandRequest>;
  policy?: RoutePolicy;
}

export const commandRoutes: Routes<CommandRouteDeps> = (app, deps) => {
  const { database, clock, audit, commands, settings, maxFrameBytes, secretOf } = deps;
  const place = createPlace({ database, issue: commands.issue, maxFrameBytes });

  operation(app, "GET /projects/:slug/commands", {
    operationId: "listCommands",
    summary: "List commands",
    description:
      "Lists the commands of the project, newest first. Viewers see them without payload, result and issuer.",
    querystring: CommandQuery,
    response: { 200: CommandPage },
    serializerCompiler: plainSerializer,
    policy: { tag: "commands", role: "viewer" },
    handler: ({ project, query }) =>
      listCommands(database, settings, { projectId: project.id, role: project.role, query }),
  });

  operation(app, "GET /projects/:slug/commands/:command_id", {
    operationId: "getCommand",
    summary: "Get a command",
    description: "Returns one command with its status and result. Viewers see it without payload, result and issuer.",
    params: CommandParams,
    response: { 200: CommandPublic },
    serializerCompiler: plainSerializer,
    policy: { tag: "commands", role: "viewer" },
    handler: ({ project, params }) =>
      getCommand(database, { projectId: project.id, id: params.command_id, role: project.role }),
  });

  operation(app, "GET /projects/:slug/tasks/:engine/:task_id/commands", {
    operationId: "listTaskCommands",
    summary: "List the commands of a task",
    description:
      "Lists the commands that act on the task, alone or among others, newest first: who retried or cancelled it, when, and with what outcome. Empty for an unknown task. Viewers don't see who requested them.",
    params: TaskCommandParams,
    querystring: PageQuery,
    response: { 200: TaskCommandPage },
    serializerCompiler: plainSerializer,
    policy: { tag: "commands", role: "viewer" },
    handler: ({ project, params, query }) =>
      listTaskCommands(database, settings, {
        projectId: project.id,
        engine: params.engine,
        taskId: params.task_id,
        role: project.role,
        query,
      }),
  });

  /** A route that issues a command: 202 with the new command, or with the one that an equal request issued before. */
  function commandRoute<Body extends TObject>(
    name: string,
    { requestOf, policy = { tag: "commands", role: "operator" }, ...about }: CommandOperation<Body>,
  ): void {
    operation(app, `POST /projects/:slug/commands/${name}`, {
      ...about,
      description: `${about.description} The response does not wait for the agent: read the outcome with \`getCommand\`.`,
      answers: {
        202: "The command was issued, or an equal request issued it before.",
        409: "The idempotency key is in use for another request (`idempotency_key_in_use`), the project is archived, or the engine needs overrides (`overrides_required`).",
        ...about.answers,
      },
      params: ProjectParams,
      response: { 202: CommandPublic },
      serializerCompiler: plainSerializer,
      policy,
      handler: async (request) => {
        const { project, actor } = request;
        const wanted = await requestOf(request.body as Static<Body>, request);
        const row = await place(wanted, { projectId: project.id, userId: actor.user.id, origin: originOf(request) });
        return publicCommand(row, project.role);
      },
    });
  }

  commandRoute("retry-task", {
    operationId: "retryTask",
    summary: "Retry a task",
    description:
      "Runs the task again, with its original arguments or with both overrides. Some engines can retry only with overrides.",
    body: RetryTaskBody,
    requestOf: (body) => requests.retryTask(body, clock.now()),
    policy: { tag: "commands", role: "operator", keepsNumbers: true },
  });
  commandRoute("cancel-task", {
    operationId: "cancelTask",
    summary: "Cancel a task",
    description: "Cancels a task that has not finished.",
    body: TaskBody,
    requestOf: requests.cancelTask,
  });
  commandRoute("requeue-dead-letter", {
    operationId: "requeueDeadLetter",
    summary: "Requeue a dead letter",
    description: "Puts a dead letter back into its queue.",
    body: TaskBody,
    requestOf: requests.requeueDeadLetter,
  });
  commandRoute("bulk-retry", {
    operationId: "retryTasks",
    summary: "Retry listed tasks",
    description:
      "Retries the listed tasks with one command. To retry all tasks that match a filter, use `createBulkRetry`.",
    answers: { 410: "Retrying by filter is no longer supported here. Use `createBulkRetry`." },
    body: BulkRetryCommandBody,
    requestOf: bulkRetryOf,
    policy: { tag: "commands", role: "operator", bucket: "bulk" },
  });
  commandRoute("purge-queue", {
    operationId: "purgeQueue",
    summary: "Purge a queue",
    description:
      "Deletes all waiting tasks of a queue. The agent refuses unless the depth equals `observed_depth`, the confirm token is valid, or `force` is set.",
    body: PurgeQueueBody,
    requestOf: (body, { project }) => requests.purgeQueue(body, () => secretOf(project.id)),
    policy: { tag: "commands", role: "admin", bucket: "bulk" },
  });
  commandRoute("restart-worker", {
    operationId: "restartWorker",
    summary: "Restart a worker",
    description: "Restarts the pool of a worker.",
    body: WorkerBody,
    requestOf: requests.restartWorker,
  });
  commandRoute("pool-resize", {
    operationId: "resizePool",
    summary: "Resize the pool of a worker",
    description: "Grows or shrinks the pool of a worker. If the adapter does not support it, the command fails.",
    body: PoolResizeBody,
    requestOf: requests.poolResize,
  });
  commandRoute("add-consumer", {
    operationId: "addConsumer",
    summary: "Add a consumer",
    description: "Makes a worker consume a queue.",
    body: ConsumerBody,
    requestOf: requests.addConsumer,
  });
  commandRoute("cancel-consumer", {
    operationId: "cancelConsumer",
    summary: "Cancel a consumer",
    description: "Makes a worker stop consuming a queue.",
    body: ConsumerBody,
    requestOf: requests.cancelConsumer,
  });
  commandRoute("rate-limit", {
    operationId: "limitRate",
    summary: "Limit the rate of a task name",
    description:
      "Limits how often tasks with a name start. Set `worker_name`: without it, the command can succeed although no worker applies the limit.",
    body: RateLimitBody,
    requestOf: requests.rateLimit,
  });

  async function bulkRetryOf(body: BulkRetryCommandBody, request: FastifyRequest): Promise<CommandRequest> {
    const projectId = request.project.id;
    try {
      return requests.bulkRetry(body, (engine, taskIds, limit) =>
        unknownTasks(database.read, { projectId, engine, taskIds, limit }),
      );
    } catch (error) {
      if (error instanceof ApiError && error.code === "gone") {
        await audit.record({
          ...originOf(request),
          action: "command.bulk_retry.refused",
          target_type: "project",
          target_id: projectId,
          project_id: projectId,
          result: "failed",
          metadata: { reason: "task_ids_required" },
        });
      }
      throw error;
    }
  }
};
