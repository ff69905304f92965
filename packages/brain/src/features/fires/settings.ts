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
});
