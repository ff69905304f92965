import { type Static, Type } from "typebox";
import {
  Described,
  Instant,
  InstantText,
  NextCursor,
  Nullable,
  OneOf,
  Priority,
  ProjectId,
  ProjectParams,
  TaskState,
  timeRange,
  Uuid,
} from "../../platform/http/schemas.ts";

export const TaskPublic = Type.Object(
  {
    id: Described(Uuid, "id of the row, derived from project, engine and task_id"),
    project_id: ProjectId,
    engine: Type.String({ description: "name of the engine" }),
    task_id: Type.String({ description: "id of the task in its engine" }),
    name: Type.String({ description: "function or job name that the engine runs; `unknown` until an event names it" }),
    queue: Nullable(Type.String(), "queue that it was sent to; null when not reported"),
    state: TaskState,
    priority: Priority,
    args: Type.Array(Type.Unknown(), { description: "positional arguments, redacted" }),
    kwargs: Type.Record(Type.String(), Type.Unknown(), { description: "named arguments, redacted" }),
    result: Type.Unknown({ description: "what a successful run returned, redacted; null without a result" }),
    exception: Nullable(
      Type.String(),
      "error class and message of the failure, retry or rejection that its state comes from; null in other states",
    ),
    traceback: Nullable(Type.String(), "stack trace of that failure or retry; null in other states"),
    retry_count: Type.Integer({ description: "known retries over all attempts" }),
    attempt: Type.Integer({ description: "number of earlier attempts" }),
    max_attempts: Nullable(Type.Integer(), "attempts after which the engine gives up; null when not reported"),
    eta: Nullable(Type.Unsafe<Date | string>({ ...Instant, description: "it does not start before this time" })),
    received_at: Described(Instant, "time of its earliest event"),
    started_at: Nullable(Instant, "start of the current attempt; null before it starts"),
    finished_at: Nullable(Instant, "end of the current attempt; null until it ends"),
    runtime_ms: Nullable(
      Type.Integer(),
      "run time as measured by the engine; null until it succeeds or fails, or when not reported",
    ),
    wait_ms: Nullable(Type.Integer(), "time that this attempt waited in the queue; null when not reported"),
    worker_name: Nullable(Type.String(), "worker that last received it; null when not reported"),
    parent_task_id: Nullable(Type.String(), "task_id of the task that created it; null without one"),
    root_task_id: Nullable(Type.String(), "task_id of the first task of its tree; null without one"),
    tags: Type.Array(Type.String(), { description: "labels from the application, at most 32" }),
    release: Nullable(Type.String(), "version of the application that ran it; null when not reported"),
    traceparent: Nullable(Type.String(), "W3C trace context; null when not reported"),
    fingerprint: Nullable(
      Type.String({
        pattern: "^[0-9a-f]{32}$",
        description: "shared by similar failures; from its last failure, even if retried since",
      }),
    ),
    retry_of: Nullable(Type.String({ description: "task_id of the task that this one retries; null without one" })),
    retried_as: Nullable(Type.String({ description: "task_id of its latest retry; null without one" })),
    last_event_at: Described(Instant, "time of its latest event"),
    created_at: Described(Instant, "when the service stored its first event"),
    updated_at: Described(Instant, "when the row last changed"),
  },
  { title: "Task", description: "One job of an engine." },
);

const text = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

/** The filters of the task list, shared with its exports. */
export const taskFilterParams = {
  state: Type.Optional(Described(TaskState, "only tasks in this state")),
  priority: Type.Optional(Type.String({ description: "comma-separated priorities" })),
  name: text("literal, case-sensitive substring of the task name"),
  search: text("literal substring of name, queue, worker or task id; ignores case"),
  queue: text("exact queue name"),
  worker: text("exact worker name"),
  ...timeRange,
};

/** Parameters that restrict the list: its filters and the query language. */
export const taskQueryParams = {
  ...taskFilterParams,
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must match, as must all other parameters',
    }),
  ),
};

export const TaskListQuery = Type.Object({
  ...taskQueryParams,
  cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page; ignored by exports" })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5000, description: "page size; clamped to the configured maximum" }),
  ),
  include_total: Type.Optional(
    Type.Boolean({ description: "adds the exact `total_count`, which costs an extra count; ignored by exports" }),
  ),
  format: Type.Optional(OneOf(["csv", "xlsx", "json"], { description: "export all matching tasks instead of a page" })),
  fields: Type.Optional(Type.String({ maxLength: 1000, description: "comma-separated columns of an export" })),
});
export type TaskListQuery = Static<typeof TaskListQuery>;

export const TaskPage = Type.Object(
  {
    items: Type.Array(TaskPublic),
    next_cursor: NextCursor,
    total_count: Nullable(Type.Integer({ description: "null unless requested, or when counting takes too long" })),
    partial: Type.Optional(
      Type.Object(
        {
          reached: Described(Instant, "received_at of the last task that was searched"),
          cursor: Type.String({ description: "pass it as `cursor` to continue the search" }),
        },
        {
          description:
            "present when the search ran out of time: it covered everything down to `reached`, and `cursor` continues from there",
        },
      ),
    ),
  },
  { title: "TaskPage", description: "One page of tasks." },
);

export const TaskParams = Type.Object({
  ...ProjectParams.properties,
  engine: Type.String({ description: "name of the engine", examples: ["bullmq"] }),
  task_id: Type.String({ description: "id of the task in its engine", examples: ["emails:42"] }),
});

export const TaskTree = Type.Object(
  {
    root_task_id: Type.String({ description: "task_id of the first task of the tree" }),
    node_count: Type.Integer({ description: "number of tasks in the tree, at most 500" }),
    truncated: Type.Boolean({ description: "whether the tree has more than 500 tasks; the first 500 are shown" }),
    nodes: Type.Array(
      Type.Object(
        {
          engine: Type.String({ description: "name of the engine" }),
          task_id: Type.String({ description: "id of the task in its engine" }),
          name: Type.String({ description: "function or job name that the engine runs" }),
          state: TaskState,
          parent_task_id: Nullable(Type.String(), "task_id of the task that created it; null without one"),
          root_task_id: Nullable(Type.String(), "task_id of the first task of the tree; null for that task itself"),
          received_at: Nullable(Instant, "time of its earliest event"),
          started_at: Nullable(Instant, "start of the current attempt; null before it starts"),
          finished_at: Nullable(Instant, "end of the current attempt; null until it ends"),
        },
        { title: "TaskTreeNode", description: "One task of a tree." },
      ),
    ),
  },
  { title: "TaskTree", description: "All tasks with the same root." },
);

// No stored text contains U+0000, and PostgreSQL rejects it.
const storable = "^[^\\u0000]*$";
const nullableText = (description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength: 500, pattern: storable }), description));

/** Exactly one mode: task_ids, or at least one filter. The handler checks what a schema cannot express. */
export const BulkDeleteBody = Type.Object(
  {
    task_ids: Type.Optional(
      Nullable(
        Type.Array(Uuid, { minItems: 1, maxItems: 1000 }),
        "ids of rows (`Task.id`); cannot be combined with filters",
      ),
    ),
    filter_state: Type.Optional(Nullable(TaskState, "only tasks in this state")),
    filter_priority: Type.Optional(
      Nullable(Type.Array(Priority, { minItems: 1, uniqueItems: true }), "only tasks with one of these priorities"),
    ),
    filter_search: nullableText("only tasks with this literal text in name, queue, worker or task id; ignores case"),
    filter_name: nullableText("only tasks with this literal, case-sensitive text in their name"),
    filter_queue: nullableText("only tasks with exactly this queue"),
    filter_worker: nullableText("only tasks with exactly this worker"),
    filter_since: Type.Optional(Nullable(InstantText, "only tasks received at or after this time")),
    filter_until: Type.Optional(Nullable(InstantText, "only tasks received at or before this time")),
  },
  { title: "TaskDelete" },
);
export type BulkDeleteBody = Static<typeof BulkDeleteBody>;

export const BulkDeleteReply = Type.Object(
  { deleted_count: Type.Integer({ description: "number of tasks that this request deleted" }) },
  { title: "DeletedTasks", description: "How many tasks were deleted." },
);
