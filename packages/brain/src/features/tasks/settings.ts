import { Type } from "typebox";

export const taskSettings = Type.Object({
  SVC_TASKS_EXPORT_MAX_ROWS: Type.Integer({
    default: 50_000,
    minimum: 100,
    maximum: 100_000,
    description: "rows that a task export may hold; a larger match is refused, never cut",
  }),
});
