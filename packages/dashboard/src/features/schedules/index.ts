export { scheduleActions } from "./acts/schedule-actions.tsx";
export { scheduleQuery, schedulesQuery } from "./queries.ts";
export { readEditSearch, readSchedulesSearch } from "./schedules-search.ts";
