import { commandActions } from "@svc/protocol";
import { type Static, type TSchema, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  JsonObject,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
  ProjectId,
  ProjectParams,
  Uuid,
} from "../../platform/http/schemas.ts";
import { commandStatuses } from "./states.ts";

export const CommandPublic = Type.Object(
  {
    id: Described(Uuid, "id of the command"),
    project_id: ProjectId,
    issued_by: Nullable(
      Type.String(),
      "id of the user; null for viewers and auditors, for a deleted account, and for what the service issued itself",
    ),
    agent_id: Nullable(Uuid, "agent that it is for; set when it is issued"),
    action: Type.Unsafe<string>(
      OneOf(commandActions, { title: "CommandAction", description: "what the agent is asked to do" }),
    ),
    target_type: Type.String({ description: "what it acts on, such as task, queue or worker" }),
    target_id: Nullable(Type.String(), "id or name of what it acts on; null when it acts on several"),
    payload: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { description: "parameters for the agent; empty for viewers and auditors" }),
    ),
    idempotency_key: Nullable(Type.String(), "key of the request that made it; null without one"),
    status: Type.Unsafe<string>(
      OneOf(commandStatuses, {
        title: "CommandStatus",
        description:
          "pending: not sent yet; dispatched: sent, no result yet; completed, failed: it ended with or without success; timeout: no result in time; cancelled: not sent, because the agent was revoked or the project archived",
      }),
    ),
    result: Nullable(
      Type.Unknown(),
      'what the agent reported on success; `{"outcome": "unknown"}` of a failed command whose effect is unknown; null otherwise, and for viewers and auditors',
    ),
    error: Nullable(Type.String(), "why it did not complete; null otherwise"),
    issued_at: Described(Instant, "when it was requested"),
    dispatched_at: Nullable(Instant, "when it was sent; null until then"),
    completed_at: Nullable(Instant, "when it reached a final status; null until then"),
    timeout_at: Nullable(Instant, "it times out without a result by then; restarts when it is sent"),
    source_ip: Nullable(
      Type.String(),
      "client address of the request; null for viewers and auditors, and for what the service issued itself",
    ),
  },
  { title: "Command", description: "A command to an agent, with its status and result." },
);
export type CommandPublic = Static<typeof CommandPublic>;

export const CommandPage = Type.Object(
  {
    items: Type.Array(CommandPublic),
    next_cursor: NextCursor,
  },
  { title: "CommandPage", description: "One page of commands." },
);

export const CommandQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.String({ description: "only commands with this status; any other text lists all" })),
  agent_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: "only commands of this agent" })),
  action: Type.Optional(Type.String({ maxLength: 80, description: "only commands with this action" })),
  without_bulk_retries: Type.Optional(
    Type.Boolean({ description: "true leaves out commands that bulk retries sent, one for each task" }),
  ),
});
export type CommandQuery = Static<typeof CommandQuery>;

export const CommandParams = Type.Object({ ...ProjectParams.properties, command_id: IdOf("command") });

export const TaskCommand = Type.Object(
  {
    ...Type.Pick(CommandPublic, [
      "id",
      "agent_id",
      "action",
      "status",
      "error",
      "issued_at",
      "dispatched_at",
      "completed_at",
      "issued_by",
    ]).properties,
    issuer_email: Nullable(Type.String(), "email address of that user; null where `issued_by` is null"),
    issuer_display_name: Nullable(Type.String(), "name of that user; null without one"),
    api_key_name: Nullable(
      Type.String(),
      "name of the API key of the request; null without one, for viewers and auditors, and once the key was deleted",
    ),
    bulk_retry_id: Nullable(Uuid, "bulk retry that sent it; null without one, and for viewers and auditors"),
  },
  { title: "TaskCommand", description: "A command that acts on a task, with who requested it." },
);
export type TaskCommand = Static<typeof TaskCommand>;

export const TaskCommandPage = Type.Object(
  { items: Type.Array(TaskCommand), next_cursor: NextCursor },
  { title: "TaskCommandPage", description: "One page of the commands of a task." },
);

export const TaskCommandParams = Type.Object({
  ...ProjectParams.properties,
  engine: Type.String({ description: "name of the engine", examples: ["bullmq"] }),
  task_id: Type.String({ description: "id that the engine gave the task", examples: ["emails:42"] }),
});

/** May be absent or null. Said by the type, so that a fault is told in the words of the schema. */
const optional = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, "null"] }));
const name = (max: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: max, ...(description !== undefined && { description }) });

const key = {
  idempotency_key: optional(name(200, "the same key with the same body gives the command that exists")),
};
const agent_id = Described(Uuid, "the agent that carries it out");
const engine = name(40, "as the agent names it");
const task = {
  agent_id: optional({ ...Uuid, description: "default: the agent that reported the task last, when it can do it" }),
  engine,
  task_id: name(200, "the engine's id of the task, or the id of its row"),
  ...key,
};

/** Engine of a route whose agent usually has one only. */
const someEngine = { engine: optional(name(40, "needed where the agent serves several engines")) };

export const RetryTaskBody = Type.Object(
  {
    ...task,
    override_args: optional(
      Type.Array(Type.Unknown(), { description: "with override_kwargs; at most 64 KiB as JSON" }),
    ),
    override_kwargs: optional({ ...JsonObject, description: "with override_args" }),
    eta_seconds: optional(Type.Integer({ minimum: 0, maximum: 86_400, description: "seconds from now" })),
  },
  { title: "RetryTaskBody" },
);
export type RetryTaskBody = Static<typeof RetryTaskBody>;

export const TaskBody = Type.Object(task, { title: "TaskCommandBody" });
export type TaskBody = Static<typeof TaskBody>;

export const BulkRetryCommandBody = Type.Object(
  {
    agent_id,
    filter: Type.Object(
      {
        engine: optional(engine),
        task_ids: optional(
          Type.Array(name(200), { minItems: 1, maxItems: 10_000, description: "the engine's ids of the tasks" }),
        ),
      },
      { description: "the tasks to retry; a filter without task_ids is refused with 410" },
    ),
    max: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: "retries at most this many different ids, from the start of the list",
    }),
    ...key,
  },
  { title: "BulkRetryCommandBody" },
);
export type BulkRetryCommandBody = Static<typeof BulkRetryCommandBody>;

export const PurgeQueueBody = Type.Object(
  {
    agent_id,
    queue: name(200, "name of the queue to empty"),
    confirm_token: optional(
      Type.String({ maxLength: 200, description: "computed by the caller instead of observed_depth" }),
    ),
    observed_depth: optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "the depth that was shown" }),
    ),
    force: optional(Type.Boolean({ description: "purge whatever the depth is" })),
    ...someEngine,
    ...key,
  },
  { title: "PurgeQueueBody" },
);
export type PurgeQueueBody = Static<typeof PurgeQueueBody>;

const worker = { agent_id, worker_name: name(200, "as the engine names it"), ...someEngine, ...key };

export const WorkerBody = Type.Object(worker, { title: "RestartWorkerBody" });
export type WorkerBody = Static<typeof WorkerBody>;

export const PoolResizeBody = Type.Object(
  {
    ...worker,
    delta: Type.Integer({ minimum: -100, maximum: 100, description: "not 0; negative shrinks the pool" }),
  },
  { title: "PoolResizeBody" },
);
export type PoolResizeBody = Static<typeof PoolResizeBody>;

export const ConsumerBody = Type.Object(
  { ...worker, queue: name(200, "queue whose tasks the worker starts or stops taking") },
  { title: "ConsumerBody" },
);
export type ConsumerBody = Static<typeof ConsumerBody>;

export const RateLimitBody = Type.Object(
  {
    agent_id,
    task_name: name(200, "name of the tasks to limit"),
    rate: Type.Union(
      [
        Type.Integer({ minimum: 0, maximum: 999_999_999 }),
        Type.String({ pattern: "^(0|[1-9][0-9]{0,8})(/[smh])?$", maxLength: 11 }),
      ],
      { description: "runs per second, or per the unit of /s, /m or /h; 0 takes the limit away" },
    ),
    worker_name: optional(name(200, "without it the limit may reach no worker")),
    ...someEngine,
    ...key,
  },
  { title: "RateLimitBody" },
);
export type RateLimitBody = Static<typeof RateLimitBody>;
