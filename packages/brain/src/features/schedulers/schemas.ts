import { type Static, Type } from "typebox";
import { Nullable } from "../../platform/http/schemas.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** What a scheduler says about itself. */
export const SchedulerInfo = Type.Object(
  {
    version: Type.String({ maxLength: 200, description: "version of the scheduler" }),
    instance_id: Type.String({ maxLength: 200, description: "name of the process" }),
    leader: Type.Boolean({ description: "whether it fires, rather than waiting to take over" }),
    projects: count("projects with schedules that it knows"),
    schedules: count("schedules that it knows"),
    watch_healthy: Type.Boolean({ description: "whether it receives changes; it fires only then" }),
    cadence_fingerprint: Type.String({
      maxLength: 200,
      description: "version of its calendar and time-zone data; it must be that of the service",
    }),
    oldest_due_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "its lag: for how long the oldest slot that it has not fired is due; 0 when none is",
      }),
    ),
  },
  {
    title: "SchedulerInfo",
    description: "What a scheduler reports about itself. Newer schedulers may report more.",
    additionalProperties: true,
  },
);
export type SchedulerInfo = Static<typeof SchedulerInfo>;

export const SchedulerEntry = Type.Object(
  {
    url: Type.String({ description: "its address; `embedded` for one inside the service that does not run" }),
    ok: Type.Boolean({ description: "whether it answered and receives changes" }),
    info: Nullable(SchedulerInfo, "what it reported; null when it did not answer"),
    error: Nullable(Type.String(), "why it is not ok; null when it is"),
  },
  { title: "Scheduler", description: "One scheduler." },
);
export type SchedulerEntry = Static<typeof SchedulerEntry>;

export const SchedulerList = Type.Object(
  {
    schedulers: Type.Array(SchedulerEntry, {
      description: "the embedded one first, then in the order of the settings",
    }),
    total: count("number of schedulers"),
    healthy: count("number of schedulers that are ok"),
  },
  { title: "SchedulerList", description: "The schedulers of this service." },
);
export type SchedulerList = Static<typeof SchedulerList>;
