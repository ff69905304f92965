import { Type } from "typebox";

export const ScheduleResync = Type.Object(
  {
    agents_dispatched: Type.Integer({ description: "agents that were asked to report their schedules" }),
    schedulers_observed: Type.Array(Type.String(), { description: "names of the schedulers that they serve" }),
  },
  { title: "ScheduleResync", description: "Whom a resync reaches." },
);
