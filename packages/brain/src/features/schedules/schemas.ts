import { cadenceKinds } from "@svc/cadence";
import { type Static, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  JsonObject,
  Line,
  NextCursor,
  Nullable,
  OneOf,
  Priority,
  ProjectId,
  ProjectParams,
  Uuid,
  ValidatedLater,
} from "../../platform/http/schemas.ts";

export const catchUpPolicies = ["skip", "fire_one_missed", "fire_all_missed"] as const;
export const overlapPolicies = ["allow", "skip"] as const;
/** Bytes of the arguments, as JSON: positional and named ones apart. */
export const maxArgumentBytes = 65_536;

export const ScheduleKind = OneOf(cadenceKinds, {
  title: "ScheduleKind",
  description:
    "how the expression is read. cron: five fields, or six with seconds last; interval: whole seconds; clocked: one date and time; solar: `event:latitude:longitude`",
});

export const CatchUp = OneOf(catchUpPolicies, {
  title: "CatchUpPolicy",
  description:
    "what happens to slots that were missed. skip: none fires; fire_one_missed: the newest fires; fire_all_missed: all fire, oldest first",
});

export const OverlapPolicy = OneOf(overlapPolicies, {
  title: "OverlapPolicy",
  description: "whether it fires while an earlier fire is open. allow: yes; skip: the slot is skipped",
});

const seconds = (description: string) => Type.Integer({ minimum: 1, maximum: 86_400, description });

/** What a schedule defines, with the text of the database's columns. */
const shown = {
  engine: Type.String({ description: "engine that runs its task" }),
  name: Type.String({ description: "unique in its project and scheduler" }),
  task_name: Type.String({ description: "name of the task that it starts" }),
  kind: Type.Unsafe<string>(ScheduleKind),
  expression: Type.String({ description: "when it fires, written as its kind requires" }),
  timezone: Type.String({ description: "IANA time zone of the expression" }),
  queue: Nullable(Type.String(), "queue of its tasks; null for the default of the engine"),
  priority: Type.Unsafe<string>(Priority),
  args: Type.Array(Type.Unknown(), { description: "positional arguments of its tasks" }),
  kwargs: Described(JsonObject, "named arguments of its tasks"),
  catch_up: Type.Unsafe<string>(CatchUp),
  overlap_policy: Type.Unsafe<string>(OverlapPolicy),
  is_enabled: Type.Boolean({ description: "whether it fires" }),
  source: Type.String({ description: "where its definition comes from, such as dashboard or imported" }),
  source_hash: Nullable(Type.String(), "hash of the definition at its source; null without one"),
  late_start_seconds: Nullable(
    Type.Integer(),
    "a fire whose task starts later than this after its slot is a misfire; null for no limit",
  ),
  long_run_seconds: Nullable(Type.Integer(), "a task that runs longer than this is a misfire; null for no limit"),
};

export const scheduleMembers = {
  id: Described(Uuid, "id of the schedule"),
  project_id: ProjectId,
  scheduler: Type.String({ description: "who fires it: `svc-scheduler`, or the scheduler of an engine" }),
  ...shown,
  description: Nullable(Type.String(), "when it fires, in words; null for an expression that is not understood"),
  last_run_at: Nullable(Instant, "slot of the last fire; null before the first"),
  next_run_at: Nullable(Instant, "next slot; null when none follows, and while it is disabled, paused or quarantined"),
  total_runs: Type.Integer({ description: "how many times it fired" }),
  consecutive_failures: Nullable(
    Type.Integer(),
    "failed fires in a row, counting back from the newest one; null in answers to changes",
  ),
  skipped_slots_24h: Type.Integer({ description: "slots that were skipped in the last 24 hours" }),
  external_id: Nullable(Type.String(), "id in the scheduler of the engine; null for `svc-scheduler`"),
  paused_at: Nullable(Instant, "since when an operator holds it; null when it is not paused"),
  quarantine_code: Nullable(Type.String(), "why it cannot be fired; null while it is not quarantined"),
  quarantine_detail: Nullable(Type.String(), "details of the quarantine; null while it is not quarantined"),
  quarantined_at: Nullable(Instant, "since when it is quarantined; null while it is not"),
  control_token: Type.String({ description: "changes with each change of its definition or control" }),
  schedule_revision: Type.Integer({ description: "number of its last change, in the order of all changes" }),
  created_at: Described(Instant, "when it was created"),
  updated_at: Described(Instant, "when its definition or control last changed"),
};

export const SchedulePublic = Type.Object(scheduleMembers, {
  title: "Schedule",
  description: "A schedule: when which task is started, with what arguments.",
});
export type SchedulePublic = Static<typeof SchedulePublic>;

export const operationStatuses = ["pending", "succeeded", "failed", "ambiguous"] as const;

export const ExternalControlOperation = Type.Object(
  {
    id: Described(Uuid, "id of the operation"),
    schedule_id: Described(Uuid, "schedule that it acts on"),
    command_id: Described(Uuid, "command to the agent"),
    action: Type.String({ description: "action of the command, such as schedule.enable" }),
    status: Type.Unsafe<string>(
      OneOf(operationStatuses, {
        title: "ExternalControlStatus",
        description:
          "pending: not confirmed yet; succeeded: the scheduler of the engine shows the requested state; failed: it was not carried out; ambiguous: the outcome is unknown",
      }),
    ),
    desired_is_enabled: Nullable(Type.Boolean(), "the requested state; null for other actions"),
    error: Nullable(Type.String(), "why it did not succeed; null otherwise"),
    created_at: Described(Instant, "when it was requested"),
    updated_at: Described(Instant, "when its status last changed"),
  },
  { title: "ExternalControlOperation", description: "A request to the scheduler of an engine." },
);

export const ScheduleDetail = Type.Object(
  {
    ...scheduleMembers,
    next_runs: Type.Optional(Type.Array(Instant, { description: "next slots; only with `preview`" })),
    pending_operation: Nullable(
      ExternalControlOperation,
      "request to the scheduler of its engine that is not confirmed yet; null without one",
    ),
  },
  { title: "ScheduleDetail", description: "A schedule with its next slots and what was requested." },
);
export type ScheduleDetail = Static<typeof ScheduleDetail>;

export const SchedulePage = Type.Object(
  {
    circuit_breaker_threshold: Type.Integer({
      description: "failed fires in a row after which a schedule is disabled; 0 when none is",
    }),
    items: Type.Array(SchedulePublic),
    next_cursor: NextCursor,
  },
  { title: "SchedulePage", description: "One page of schedules, by name." },
);

export const ScheduleParams = Type.Object({ ...ProjectParams.properties, schedule_id: IdOf("schedule") });

export const maxPreview = 50;

export const ScheduleQuery = Type.Object({
  preview: Type.Optional(
    Type.Integer({ minimum: 0, maximum: maxPreview, description: "how many next slots to add; none when absent" }),
  ),
});

export const OperationParams = Type.Object({ ...ProjectParams.properties, operation_id: IdOf("operation") });

export const ClearQuarantineBody = Type.Object(
  {
    observed_control_token: Type.String({
      minLength: 1,
      maxLength: 128,
      description: "control_token of the schedule as you saw it",
    }),
  },
  { title: "ClearQuarantineBody", additionalProperties: false },
);

/** Text without U+0000 and other control characters, which may be blank. */
const hash = Type.String({ maxLength: 128, pattern: "^[^\\x00-\\x1f\\x7f]*$" });
const queueName = Type.String({ maxLength: 200, pattern: "^[^\\x00-\\x1f\\x7f]*$" });

const given = {
  name: Described(Line(200), "unique in its project and scheduler"),
  engine: Described(Line(40), "engine that runs its task, such as bullmq"),
  kind: ValidatedLater(ScheduleKind),
  expression: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: "when it fires, written as its kind requires",
  }),
  task_name: Described(Line(500), "name of the task that it starts"),
};

const optionallyGiven = {
  timezone: Type.Optional(Type.String({ maxLength: 64, description: "IANA time zone of the expression; UTC" })),
  queue: Type.Optional(Nullable(queueName, "queue of its tasks; null or empty for the default of the engine")),
  priority: Type.Optional(Priority),
  args: Type.Optional(
    Type.Array(Type.Unknown(), { description: "positional arguments of its tasks, at most 64 KiB as JSON" }),
  ),
  kwargs: Type.Optional(
    Described(
      JsonObject,
      "named arguments of its tasks, at most 64 KiB as JSON; names beginning with `__svc_` are reserved",
    ),
  ),
  catch_up: Type.Optional(CatchUp),
  overlap_policy: Type.Optional(OverlapPolicy),
  is_enabled: Type.Optional(Type.Boolean({ description: "whether it fires; true for a new one" })),
  source_hash: Type.Optional(Nullable(hash, "hash of the definition at its source; null for none")),
  late_start_seconds: Type.Optional(
    Nullable(seconds("1 to 86400"), "limit after which a late start is a misfire, in seconds; null for no limit"),
  ),
  long_run_seconds: Type.Optional(
    Nullable(seconds("1 to 86400"), "limit after which a long run is a misfire, in seconds; null for no limit"),
  ),
};

export const createMembers = {
  ...given,
  ...optionallyGiven,
  scheduler: Type.Optional(
    Nullable(
      Line(64),
      "who fires it; null for the default of the project. Schedules of other schedulers than `svc-scheduler` are defined there",
    ),
  ),
  source: Type.Optional(Described(Line(64), "where its definition comes from; dashboard")),
};

export const ScheduleCreate = Type.Object(createMembers, { title: "ScheduleCreate", additionalProperties: false });
export type ScheduleCreate = Static<typeof ScheduleCreate>;

export const ScheduleChanges = Type.Object(
  {
    name: Type.Optional(given.name),
    engine: Type.Optional(given.engine),
    kind: Type.Optional(given.kind),
    expression: Type.Optional(given.expression),
    task_name: Type.Optional(given.task_name),
    ...optionallyGiven,
  },
  { title: "ScheduleChanges", additionalProperties: false },
);
export type ScheduleChanges = Static<typeof ScheduleChanges>;
