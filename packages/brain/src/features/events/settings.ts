import { Type } from "typebox";

export const eventSettings = Type.Object({
  SVC_EVENT_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: "days to keep events; events that are older when they arrive are dropped",
  }),
});
