export { scheduleActions } from "./acts/schedule-actions.tsx";
export { scheduleQuery, schedulesQuery } from "./queries.ts";
export { readSchedulesSearch } from "./schedules-search.ts";
