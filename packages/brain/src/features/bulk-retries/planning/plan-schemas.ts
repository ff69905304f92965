import { type Static, Type } from "typebox";
import {
  Described,
  Instant,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
  Priority,
  TaskState,
  Uuid,
} from "../../../platform/http/schemas.ts";
import { childOutcomes } from "../states.ts";

const optionalText = (description: string) => Type.Optional(Type.String({ description }));

export const BulkRetryPlan = Type.Object(
  {
    issued_by: Nullable(Uuid, "user who requested it; null for a deleted account"),
    filter: Type.Object(
      {
        state: TaskState,
        engine: optionalText("name of the engine"),
        queue: optionalText("exact queue name"),
        name: optionalText("literal part of the task name"),
        search: optionalText("literal part of name, queue, worker or task id, in any case"),
        q: optionalText("query in the language of docs/reference/query-language.md"),
        priority: Type.Optional(Type.Array(Priority)),
        since: Type.Optional(Described(Instant, "tasks received at or after this time")),
        until: Type.Optional(Described(Instant, "tasks received at or before this time")),
      },
      { description: "with its defaults, without task_ids" },
    ),
    named_tasks: Nullable(Type.Integer({ description: "number of task_ids in the filter; null without task_ids" })),
    max: Type.Integer({ description: "maximum tasks that the filter may match" }),
    max_in_flight: Type.Integer({ description: "maximum tasks in flight: sent and without an outcome" }),
    canary_size: Nullable(Type.Integer(), "tasks to retry first; null without a canary"),
    canary_max_failures: Nullable(
      Type.Integer({ description: "failures of the canary that do not block the rest; null without a canary" }),
    ),
    rate_per_minute: Nullable(Type.Integer(), "maximum tasks sent per minute; null without a limit"),
    engines: Type.Array(
      Type.Object({
        engine: Type.String({ description: "name of the engine" }),
        tasks: Type.Integer({ description: "tasks of this engine" }),
      }),
      {
        description: "engines of the sealed tasks, in sending order",
      },
    ),
  },
  { title: "BulkRetryPlan", description: "The filter and limits of a bulk retry." },
);
export type BulkRetryPlan = Static<typeof BulkRetryPlan>;

const Outcome = OneOf(childOutcomes, {
  title: "BulkRetryOutcome",
  description:
    "unobserved: no outcome yet; succeeded: retried; failed: not retried; unknown: sent, but whether it was retried is not known; never sent again",
});

export const ChildQuery = Type.Object({
  ...PageQuery.properties,
  outcome: Type.Optional(Described(Outcome, "only tasks with this outcome")),
});
export type ChildQuery = Static<typeof ChildQuery>;

const BulkRetryChild = Type.Object(
  {
    ordinal: Type.Integer({ description: "position in sending order, from 0" }),
    engine: Type.String({ description: "name of the engine" }),
    task_id: Type.String({ description: "id that the engine gave the task" }),
    task_name: Nullable(Type.String({ description: "name of the task when the bulk retry was sealed" })),
    delivery_state: OneOf(["pending", "claimed"], {
      description: "pending: not sent yet; claimed: sent, or about to be",
    }),
    outcome: Outcome,
    error: Nullable(Type.String(), "why it was not retried, or why the outcome is unknown; null otherwise"),
    command_id: Nullable(Uuid, "command that retries it; null until it is sent"),
    agent_id: Nullable(Uuid, "agent that it was sent to; null until it is sent"),
    new_task_id: Nullable(Type.String({ description: "id of the new task, if the retry created one" })),
    claimed_at: Nullable(Instant, "when it was sent; null until then"),
    completed_at: Nullable(Instant, "when it got its outcome; null until then"),
  },
  { title: "BulkRetryChild", description: "One task of a bulk retry." },
);

export const BulkRetryChildPage = Type.Object(
  {
    items: Type.Array(BulkRetryChild),
    next_cursor: NextCursor,
  },
  { title: "BulkRetryChildPage", description: "One page of the tasks of a bulk retry." },
);
export type BulkRetryChildPage = Static<typeof BulkRetryChildPage>;
