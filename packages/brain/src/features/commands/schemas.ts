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
      "id of the user; null for viewers and auditors, for a deleted account, and for commands of the service itself",
    ),
    agent_id: Nullable(Uuid, "agent that receives it"),
    action: Type.Unsafe<string>(
      OneOf(commandActions, { title: "CommandAction", description: "what the agent has to do" }),
    ),
    is_repeatable: Type.Boolean({
      description:
        "whether it may be sent several times, because repeating it is harmless; then `dispatched_at` is null again after a failed send, although the agent may have received it",
    }),
    target_type: Type.String({ description: "what it acts on, such as task, queue or worker" }),
    target_id: Nullable(Type.String(), "id or name of the target; null for several targets"),
    payload: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { description: "parameters for the agent; empty for viewers and auditors" }),
    ),
    idempotency_key: Nullable(Type.String(), "idempotency key of the request; null without one"),
    status: Type.Unsafe<string>(
      OneOf(commandStatuses, {
        title: "CommandStatus",
        description:
          "pending: not sent yet; dispatched: sent, no result yet; completed: succeeded; failed: did not succeed; timeout: no result in time; cancelled: not sent, because the agent was revoked or the project archived",
      }),
    ),
    result: Nullable(
      Type.Unknown(),
      'what the agent reported on success; `{"outcome": "unknown"}` for a failed command whose effect is unknown; null otherwise, and for viewers and auditors',
    ),
    error: Nullable(Type.String(), "why it did not complete; null otherwise"),
    issued_at: Described(Instant, "when it was requested"),
    dispatched_at: Nullable(Instant, "when it was sent; null until then"),
    completed_at: Nullable(Instant, "when it reached a final status; null until then"),
    timeout_at: Nullable(Instant, "it times out then if no result has arrived; restarts when it is sent"),
    source_ip: Nullable(
      Type.String(),
      "client address of the request; null for viewers and auditors, and for commands of the service itself",
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
  status: Type.Optional(Type.String({ description: "only commands with this status; unknown values are ignored" })),
  agent_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: "only commands of this agent" })),
  action: Type.Optional(Type.String({ maxLength: 80, description: "only commands with this action" })),
  without_bulk_retries: Type.Optional(Type.Boolean({ description: "true to leave out the commands of bulk retries" })),
});
export type CommandQuery = Static<typeof CommandQuery>;

export const CommandParams = Type.Object({ ...ProjectParams.properties, command_id: IdOf("command") });

export const TaskCommand = Type.Object(
  {
    ...Type.Pick(CommandPublic, [
      "id",
      "agent_id",
      "action",
      "is_repeatable",
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
      "name of the API key of the request; null without one, for viewers and auditors, and after the key was deleted",
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

/** May be absent or null. Null is part of the type, so that validation errors describe the schema itself. */
const optional = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, "null"] }));
const name = (max: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: max, ...(description !== undefined && { description }) });

const key = {
  idempotency_key: optional(name(200, "repeating a request with the same key and body returns the existing command")),
};
const agent_id = Described(Uuid, "agent that carries it out");
const engine = name(40, "name of the engine");
const task = {
  agent_id: optional({
    ...Uuid,
    description: "by default the agent that last reported the task, if eligible, otherwise another eligible agent",
  }),
  engine,
  task_id: name(200, "id that the engine gave the task, or its row id"),
  ...key,
};

/** The engine on routes whose agent usually serves only one. */
const someEngine = { engine: optional(name(40, "required when the agent serves several engines")) };

export const RetryTaskBody = Type.Object(
  {
    ...task,
    override_args: optional(
      Type.Array(Type.Unknown(), { description: "only together with override_kwargs; at most 64 KiB as JSON" }),
    ),
    override_kwargs: optional({ ...JsonObject, description: "only together with override_args" }),
    eta_seconds: optional(
      Type.Integer({ minimum: 0, maximum: 86_400, description: "delay in seconds; 0 runs immediately" }),
    ),
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
          Type.Array(name(200), { minItems: 1, maxItems: 10_000, description: "ids that the engine gave the tasks" }),
        ),
      },
      { description: "tasks to retry; a filter without task_ids is refused with 410" },
    ),
    max: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: "maximum distinct ids to retry, from the start of the list",
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
      Type.String({ maxLength: 200, description: "token computed by the caller, instead of observed_depth" }),
    ),
    observed_depth: optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "depth that the caller has seen" }),
    ),
    force: optional(Type.Boolean({ description: "purge at any depth" })),
    ...someEngine,
    ...key,
  },
  { title: "PurgeQueueBody" },
);
export type PurgeQueueBody = Static<typeof PurgeQueueBody>;

const worker = { agent_id, worker_name: name(200, "name that the engine gives the worker"), ...someEngine, ...key };

export const WorkerBody = Type.Object(worker, { title: "RestartWorkerBody" });
export type WorkerBody = Static<typeof WorkerBody>;

export const PoolResizeBody = Type.Object(
  {
    ...worker,
    delta: Type.Integer({
      minimum: -100,
      maximum: 100,
      description: "processes to add; negative values shrink the pool; not 0",
    }),
  },
  { title: "PoolResizeBody" },
);
export type PoolResizeBody = Static<typeof PoolResizeBody>;

export const ConsumerBody = Type.Object(
  { ...worker, queue: name(200, "queue to start or stop consuming") },
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
      { description: "runs per second, or with /s, /m or /h per second, minute or hour; 0 removes the limit" },
    ),
    worker_name: optional(name(200, "worker to limit; without it, no worker may apply the limit")),
    ...someEngine,
    ...key,
  },
  { title: "RateLimitBody" },
);
export type RateLimitBody = Static<typeof RateLimitBody>;
