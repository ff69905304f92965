import { type Static, type TSchema, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  InstantText,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
  Priority,
  ProjectParams,
  TaskState,
  Uuid,
} from "../../platform/http/schemas.ts";
import { controlStates, requestStatuses } from "./states.ts";

const count = (description: string) => Type.Integer({ description });

export const BulkRetryRequest = Type.Object(
  {
    id: Described(Uuid, "id of the bulk retry"),
    status: OneOf(requestStatuses, {
      title: "BulkRetryStatus",
      description:
        "sealing: the search for its tasks is running; in_progress: tasks are being sent; paused, blocked: waiting for `resume`; succeeded, failed, partial: every outcome is known; indeterminate: some outcomes are unknown; no_match: the filter matched no task; refused: not sealed, see blocked_reason; cancelled: by an operator before it was sealed",
    }),
    control_state: OneOf(controlStates, {
      description:
        "whether tasks are being searched or sent; paused by an operator, or blocked or refused with a blocked_reason",
    }),
    canonical_digest: Type.String({ description: "SHA-256 of the request with its defaults" }),
    plan_digest: Nullable(
      Type.String(),
      "SHA-256 over engine, ordinal and payload of every child; null until it is sealed",
    ),
    target_agent_id: Nullable(Uuid, "the only agent that may retry its tasks; null for any eligible agent"),
    counts: Type.Object(
      {
        total: count("tasks"),
        pending: count("not sent yet"),
        claimed: count("sent and without an outcome"),
        unobserved: count("without an outcome, sent or not"),
        succeeded: count("retried"),
        failed: count("not retried"),
        unknown: count("outcome unknown: sent, but whether it was retried is not known; never sent again"),
      },
      { title: "BulkRetryCounts", description: "Number of tasks by state." },
    ),
    created_at: Described(Instant, "when it was requested"),
    sealed_at: Nullable(Instant, "when its list of tasks was fixed; null until then"),
    deadline_at: Described(Instant, "tasks not sent by then wait for `resume`, which sets a new deadline"),
    last_progress_at: Nullable(
      Instant,
      "when it last sent a task, got an outcome, or advanced its search; null until then",
    ),
    sealing: Nullable(
      Type.Object({
        found: count("matching tasks found so far"),
        reached: Nullable(Instant, "tasks received after this time were searched; null before the first step"),
      }),
      "progress of the search for its tasks; null when it is not running",
    ),
    blocked_reason: Nullable(Type.String({ description: "why it is blocked or was refused; null otherwise" })),
  },
  { title: "BulkRetryRequest", description: "A retry of many tasks, which the service sends one by one." },
);
export type BulkRetryRequest = Static<typeof BulkRetryRequest>;

export const BulkRetryListQuery = Type.Object({
  ...PageQuery.properties,
  command_id: Type.Optional({ ...Uuid, description: "only the bulk retry that sent this command" }),
});
export type BulkRetryListQuery = Static<typeof BulkRetryListQuery>;

export const BulkRetryRequestPage = Type.Object(
  {
    items: Type.Array(BulkRetryRequest),
    next_cursor: NextCursor,
  },
  { title: "BulkRetryPage", description: "One page of bulk retries." },
);
export type BulkRetryRequestPage = Static<typeof BulkRetryRequestPage>;

export const BulkRetryParams = Type.Object({ ...ProjectParams.properties, request_id: IdOf("bulk retry") });

const optional = <T extends TSchema>(schema: T, description?: string) => Type.Optional(Nullable(schema, description));
const text = (max: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: max, ...(description !== undefined && { description }) });
const instant = Type.Union([
  InstantText,
  Type.Number({ minimum: 0, maximum: 253_402_300_799, description: "epoch seconds" }),
]);

/** The allowed filter keys. Unknown keys are refused, because a misspelt filter would match too many tasks. */
const filterFields = {
  task_ids: optional(
    Type.Array(text(200), { minItems: 1, maxItems: 10_000, description: "ids that the engine gave the tasks" }),
  ),
  engine: optional(text(40, "required with task_ids")),
  state: optional(TaskState, "state of the tasks; failure by default"),
  status: optional(TaskState, "alias of state"),
  queue: optional(text(200, "exact queue name")),
  name: optional(text(200, "literal part of the task name")),
  search: optional(text(200, "literal part of name, queue, worker or task id, in any case")),
  q: optional(
    text(
      1000,
      "query in the language of docs/reference/query-language.md, combined with the other filters; not with task_ids",
    ),
  ),
  priority: optional(Type.Array(Priority, { minItems: 1, description: "tasks with one of these; not with task_ids" })),
  since: optional(instant, "tasks received at or after this time"),
  until: optional(instant, "tasks received at or before this time"),
};
export const filterKeys: ReadonlySet<string> = new Set(Object.keys(filterFields));

export const BulkRetryFilter = Type.Object(filterFields, {
  title: "BulkRetryFilter",
  description: "state (or status, its alias) defaults to failure; unknown keys are refused with 400",
});
export type BulkRetryFilter = Static<typeof BulkRetryFilter>;

export const BulkRetryBody = Type.Object(
  {
    idempotency_key: text(200, "repeating a request with the same key and body returns the existing bulk retry"),
    filter: BulkRetryFilter,
    max: optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: "more matches are refused with 422; 1000 by default" }),
    ),
    agent_id: optional(
      Type.Unsafe<string>({ ...Uuid, description: "by default any eligible agent, chosen for each task" }),
    ),
    canary_size: optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: "canary: retry this many tasks first and wait for their results",
      }),
    ),
    canary_max_failures: optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: "with canary_size: block the rest when more canary tasks fail; 0 by default",
      }),
    ),
    rate_per_minute: optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: "maximum tasks sent per minute, evenly spread" }),
    ),
  },
  { title: "BulkRetryBody" },
);
export type BulkRetryBody = Static<typeof BulkRetryBody>;
