import { priorities, taskStates } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { Instant, Nullable, OneOf, PageQuery, Uuid } from "../../../platform/http/schemas.ts";
import { childOutcomes } from "../states.ts";

const optionalText = Type.Optional(Type.String());

export const BulkRetryPlan = Type.Object(
  {
    issued_by: Nullable(Uuid),
    filter: Type.Object(
      {
        state: OneOf(taskStates, { title: "TaskState" }),
        engine: optionalText,
        queue: optionalText,
        name: optionalText,
        search: optionalText,
        priority: Type.Optional(Type.Array(OneOf(priorities, { title: "Priority" }))),
        since: Type.Optional(Instant),
        until: Type.Optional(Instant),
      },
      { description: "with its defaults, without task_ids" },
    ),
    named_tasks: Nullable(Type.Integer({ description: "how many task_ids the filter has; null without any" })),
    max: Type.Integer(),
    max_in_flight: Type.Integer(),
    canary_size: Nullable(Type.Integer()),
    canary_max_failures: Nullable(Type.Integer({ description: "null without a canary" })),
    rate_per_minute: Nullable(Type.Integer()),
    engines: Type.Array(Type.Object({ engine: Type.String(), tasks: Type.Integer() }), {
      description: "of the sealed children, in the order in which each engine is sent its own",
    }),
  },
  { title: "BulkRetryPlan", description: "What a bulk retry was created with." },
);
export type BulkRetryPlan = Static<typeof BulkRetryPlan>;

export const ChildQuery = Type.Object({
  ...PageQuery.properties,
  outcome: Type.Optional(
    OneOf(childOutcomes, { title: "BulkRetryOutcome", description: "only tasks with this outcome" }),
  ),
});
export type ChildQuery = Static<typeof ChildQuery>;

const BulkRetryChild = Type.Object(
  {
    ordinal: Type.Integer({ description: "from 0, in the order in which they are sent" }),
    engine: Type.String(),
    task_id: Type.String(),
    task_name: Nullable(Type.String({ description: "when it was sealed" })),
    delivery_state: OneOf(["pending", "claimed"]),
    outcome: OneOf(childOutcomes, { title: "BulkRetryOutcome" }),
    error: Nullable(Type.String()),
    command_id: Nullable(Uuid),
    agent_id: Nullable(Uuid),
    new_task_id: Nullable(Type.String({ description: "the task that the retry made, where it made one" })),
    claimed_at: Nullable(Instant),
    completed_at: Nullable(Instant),
  },
  { title: "BulkRetryChild", description: "One task of a bulk retry." },
);

export const BulkRetryChildPage = Type.Object(
  {
    items: Type.Array(BulkRetryChild),
    next_cursor: Nullable(Type.String()),
  },
  { title: "BulkRetryChildPage", description: "One page of the tasks of a bulk retry." },
);
export type BulkRetryChildPage = Static<typeof BulkRetryChildPage>;
