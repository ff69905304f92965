import { priorities, taskStates } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { Instant, InstantText, Nullable, OneOf, ProjectParams, timeRange, Uuid } from "../../platform/http/schemas.ts";

export const TaskPublic = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    engine: Type.String({ description: "name of the engine" }),
    task_id: Type.String({ description: "id that the engine gave the task" }),
    name: Type.String(),
    queue: Nullable(Type.String()),
    state: OneOf(taskStates, { title: "TaskState" }),
    priority: OneOf(priorities, { title: "Priority" }),
    args: Type.Array(Type.Unknown()),
    kwargs: Type.Record(Type.String(), Type.Unknown()),
    result: Type.Unknown(),
    exception: Nullable(Type.String()),
    traceback: Nullable(Type.String()),
    retry_count: Type.Integer(),
    attempt: Type.Integer({ description: "attempts before this one" }),
    max_attempts: Nullable(Type.Integer()),
    eta: Nullable(Type.Unsafe<Date | string>({ ...Instant, description: "it does not start before this time" })),
    received_at: Instant,
    started_at: Nullable(Instant),
    finished_at: Nullable(Instant),
    runtime_ms: Nullable(Type.Integer()),
    wait_ms: Nullable(Type.Integer({ description: "from received to started" })),
    worker_name: Nullable(Type.String()),
    parent_task_id: Nullable(Type.String()),
    root_task_id: Nullable(Type.String()),
    tags: Type.Array(Type.String()),
    release: Nullable(Type.String()),
    traceparent: Nullable(Type.String()),
    fingerprint: Nullable(
      Type.String({ pattern: "^[0-9a-f]{32}$", description: "of its last failure, also when it was retried since" }),
    ),
    retry_of: Nullable(Type.String({ description: "task_id of the task that this one retries" })),
    retried_as: Nullable(Type.String({ description: "task_id of the retry of this task" })),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Task", description: "One job of an engine." },
);

const text = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

/** The filters of the task list, shared with its exports. */
export const taskFilterParams = {
  state: Type.Optional(OneOf(taskStates, { title: "TaskState", description: "only tasks in this state" })),
  priority: Type.Optional(Type.String({ description: "comma-separated priorities" })),
  name: text("literal substring of the task name"),
  search: text("literal substring, without case, of name, queue, worker or task id"),
  queue: text("exact queue name"),
  worker: text("exact worker name"),
  ...timeRange,
};

/** What shows a part of the list: its filters and the query language. */
export const taskQueryParams = {
  ...taskFilterParams,
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must hold, beside all other parameters',
    }),
  ),
};

export const TaskListQuery = Type.Object({
  ...taskQueryParams,
  cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page; ignored by exports" })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5000, description: "page size; more than the configured maximum is clamped" }),
  ),
  include_total: Type.Optional(
    Type.Boolean({ description: "adds total_count, one exact count more; ignored by exports" }),
  ),
  format: Type.Optional(OneOf(["csv", "xlsx", "json"], { description: "export all matching tasks instead of a page" })),
  fields: Type.Optional(Type.String({ maxLength: 1000, description: "comma-separated columns of an export" })),
});
export type TaskListQuery = Static<typeof TaskListQuery>;

export const TaskPage = Type.Object(
  {
    items: Type.Array(TaskPublic),
    next_cursor: Nullable(Type.String()),
    total_count: Nullable(Type.Integer({ description: "null unless asked for, and when counting takes too long" })),
    partial: Type.Optional(
      Type.Object(
        { reached: Instant, cursor: Type.String() },
        {
          description:
            "the search ran out of time: it covered everything down to reached, and cursor continues from there",
        },
      ),
    ),
  },
  { title: "TaskPage", description: "One page of tasks." },
);

export const TaskParams = Type.Object({
  ...ProjectParams.properties,
  engine: Type.String({ description: "name of the engine", examples: ["bullmq"] }),
  task_id: Type.String({ description: "id that the engine gave the task", examples: ["emails:42"] }),
});

export const TaskTree = Type.Object(
  {
    root_task_id: Type.String(),
    node_count: Type.Integer(),
    truncated: Type.Boolean(),
    nodes: Type.Array(
      Type.Object(
        {
          engine: Type.String(),
          task_id: Type.String(),
          name: Type.String(),
          state: OneOf(taskStates, { title: "TaskState" }),
          parent_task_id: Nullable(Type.String()),
          root_task_id: Nullable(Type.String()),
          received_at: Nullable(Instant),
          started_at: Nullable(Instant),
          finished_at: Nullable(Instant),
        },
        { title: "TaskTreeNode", description: "One task of a tree." },
      ),
    ),
  },
  { title: "TaskTree", description: "All tasks with the same root." },
);

// No stored text holds U+0000, and the server database takes none.
const storable = "^[^\\u0000]*$";
const nullableText = Type.Optional(Nullable(Type.String({ maxLength: 500, pattern: storable })));

/** Exactly one mode: task_ids, or at least one filter. The decision checks what a schema cannot say. */
export const BulkDeleteBody = Type.Object(
  {
    task_ids: Type.Optional(Nullable(Type.Array(Uuid, { minItems: 1, maxItems: 1000 }))),
    filter_state: Type.Optional(Nullable(OneOf(taskStates, { title: "TaskState" }))),
    filter_priority: Type.Optional(
      Nullable(Type.Array(OneOf(priorities, { title: "Priority" }), { minItems: 1, uniqueItems: true })),
    ),
    filter_search: nullableText,
    filter_name: nullableText,
    filter_queue: nullableText,
    filter_worker: nullableText,
    filter_since: Type.Optional(Nullable(InstantText)),
    filter_until: Type.Optional(Nullable(InstantText)),
  },
  { title: "TaskDelete" },
);
export type BulkDeleteBody = Static<typeof BulkDeleteBody>;

export const BulkDeleteReply = Type.Object(
  { deleted_count: Type.Integer() },
  { title: "DeletedTasks", description: "How many tasks were deleted." },
);
