// Code that runs in the database threads, and what ingest needs to prepare events, without the routes that index.ts loads.
export { readScheduleReport, type ScheduleReport } from "./projection/report.ts";
export { openScheduleMirror } from "./projection/sqlite-store.ts";
