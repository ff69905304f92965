import { Type } from "typebox";

export const eventSettings = Type.Object({
  SVC_EVENT_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: "days a stored event is kept; an older one that arrives is dropped",
  }),
});
