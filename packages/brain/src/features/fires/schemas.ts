import { type Static, Type } from "typebox";
import { Described, IdOf, Instant, Nullable, OneOf, Uuid } from "../../platform/http/schemas.ts";
import { ScheduleParams, SchedulePublic, scheduleMembers } from "../schedules/index.ts";
import { resolutions } from "./operations/resolve.ts";
import { fireStatuses, misfireKinds } from "./states.ts";

export { ScheduleParams };

const FireStatus = OneOf(fireStatuses, {
  title: "FireStatus",
  description:
    "accepted: its command is issued; delivered: sent to an agent; buffered: waits for an agent; acked_success, acked_failed: reported by the agent; failed: never reached an agent; buffer_stale, buffer_expired: dropped from the buffer; operator_skipped and terminal_*: ended without a report",
});

const runMembers = {
  fire_id: Described(Uuid, "identifies the fire; the same for every retry of a slot"),
  status: FireStatus,
  scheduled_for: Described(Instant, "its slot"),
  fired_at: Described(Instant, "when the service recorded it"),
  latency_ms: Nullable(Type.Integer(), "milliseconds from dispatch to acknowledgement"),
  error_code: Nullable(Type.String(), "kind of failure"),
};

export const Fire = Type.Object(
  {
    id: Described(Uuid, "id of the row"),
    ...runMembers,
    schedule_id: Described(Uuid, "schedule that was fired"),
    command_id: Nullable(Uuid, "its command; null while it waits for an agent"),
    dispatched_at: Nullable(Instant, "when its command was sent to the agent"),
    acked_at: Nullable(Instant, "when the agent reported the outcome"),
    error_message: Nullable(Type.String(), "reason of the failure, for people"),
    triggered_by_user_id: Nullable(Uuid, "user who ran it; null for slots and for users who were no members"),
    task_id: Nullable(Type.String(), "the task that the agent created, as the engine names it"),
  },
  { title: "Fire", description: "One run of a schedule." },
);

const limit = (description: string) => Type.Optional(Type.Integer({ description }));

export const FireQuery = Type.Object({ limit: limit("maximum fires; 100 by default, more than 1000 is clamped") });
export const MisfireQuery = Type.Object({ limit: limit("maximum misfires; 50 by default, more than 1000 is clamped") });

export const RunQuery = Type.Object({
  id: Type.Array(Uuid, { minItems: 1, maxItems: 500, description: "schedules, at most 500; repeat the parameter" }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, description: "maximum fires of each schedule; 20 by default" }),
  ),
});

export const FireList = Type.Array(Fire, { title: "FireList", description: "Fires of a schedule, newest first." });

export const Runs = Type.Object(
  {
    circuit_breaker_threshold: Type.Integer({
      description: "failed fires in a row after which a schedule is disabled; 0 when none is",
    }),
    items: Type.Array(
      Type.Object({
        schedule_id: Described(Uuid, "schedule of the fires"),
        fires: Type.Array(Type.Object(runMembers), {
          description: "newest first",
        }),
      }),
      { description: "in the order of the request; without schedules of other projects" },
    ),
  },
  { title: "ScheduleRuns", description: "The newest fires of several schedules." },
);

export const Misfire = Type.Object(
  {
    schedule_id: Described(Uuid, "the schedule"),
    misfire_kind: OneOf(misfireKinds, {
      title: "MisfireKind",
      description:
        "missed_slot: nothing fired the slot; late_start: the task was sent to an agent too late; long_run: the task runs for too long",
    }),
    detected_at: Described(Instant, "when the service noticed it"),
    expected_fire_at: Described(Instant, "the slot"),
    lateness_seconds: Type.Integer({
      description: "seconds by which the slot was late, or that the task has run, when it was noticed",
    }),
    grace_seconds: Type.Integer({ description: "the limit that was exceeded, in seconds" }),
    name: Type.String({ description: "name of the schedule at that time" }),
    engine: Type.String({ description: "engine of the schedule at that time" }),
    kind: Type.String({ description: "kind of the schedule at that time, such as cron" }),
  },
  { title: "Misfire", description: "A slot that was not fired in time, or whose task took too long." },
);

export const MisfireList = Type.Array(Misfire, { title: "MisfireList", description: "Misfires, newest first." });

export const Triggered = Type.Object(
  {
    ...scheduleMembers,
    command_id: Described(Uuid, "command that starts the task"),
    fire_id: Nullable(Uuid, "the fire; null for a schedule that an engine fires"),
  },
  { title: "TriggeredSchedule", description: "A schedule that is run once." },
);

export const ResolveBody = Type.Object(
  {
    fire_id: IdOf("fire: its `fire_id`"),
    expected_status: FireStatus,
    resolution: OneOf(resolutions, {
      title: "Resolution",
      description: "how the fire ended; skipped when it must not run any more",
    }),
    observed_control_token: Type.String({
      maxLength: 128,
      description: "`control_token` of the schedule as you saw it",
    }),
    work_may_have_executed: Type.Literal(true, {
      description: "confirms that you know that the task may have run, or may still run",
    }),
    enabled_after_resolution: Type.Optional(
      Type.Boolean({ description: "whether the schedule is enabled afterwards; true by default" }),
    ),
  },
  { title: "FireResolution", additionalProperties: false },
);
export type ResolveBody = Static<typeof ResolveBody>;

export const Resolved = Type.Object(
  {
    disposition: OneOf(["resolved", "already_resolved"] as const, {
      description: "already_resolved: the fire had this status before, and nothing changed",
    }),
    schedule: SchedulePublic,
    fire: Fire,
  },
  { title: "ResolvedFire", description: "A fire that an operator ended." },
);
