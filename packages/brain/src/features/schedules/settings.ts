import { Type } from "typebox";

export const scheduleSettings = Type.Object({
  SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 100,
    description: "failed fires in a row after which a schedule is disabled; 0 never disables one",
  }),
});
