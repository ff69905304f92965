export type * from "./access.ts";
export type * from "./agents.ts";
export type * from "./audit.ts";
export type * from "./bulk-retries.ts";
export type * from "./commands.ts";
export type * from "./schedules.ts";
export type { BrainDatabase, Core, Db, Tables } from "./tables.ts";
export type * from "./tasks.ts";
