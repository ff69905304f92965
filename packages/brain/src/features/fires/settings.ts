import { Type } from "typebox";

export const fireSettings = Type.Object({
  SVC_SCHEDULE_FIRES_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: "days to keep the fires of schedules and their misfires",
  }),
  SVC_PENDING_FIRES_RETENTION_DAYS: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 365,
    description: "days that a fire waits for an agent that can run it; then it expires",
  }),
  SVC_PENDING_FIRES_REPLAY_INTERVAL_SECONDS: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 300,
    description:
      "interval between checks for waiting fires that an agent can run now, in seconds; an agent that connects gets them at once",
  }),
  SVC_SCHEDULE_CIRCUIT_BREAKER_INTERVAL_SECONDS: Type.Integer({
    default: 60,
    minimum: 5,
    maximum: 3600,
    description: "interval between checks for schedules whose fires keep failing, in seconds",
  }),
  SVC_SCHEDULER_MISFIRE_GRACE_SECONDS: Type.Integer({
    default: 60,
    minimum: 5,
    maximum: 3600,
    description: "seconds after its time at which a slot that nothing fired is reported as a misfire",
  }),
  SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS: Type.Integer({
    default: 60,
    minimum: 0,
    maximum: 3600,
    description: "interval between checks for misfires, in seconds; 0 never checks",
  }),
});
