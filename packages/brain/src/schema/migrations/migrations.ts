import type { Migration } from "../../platform/database/migrate.ts";
import { initial } from "./0001-initial.ts";
import { schedules } from "./0002-schedules.ts";

/** Every migration, in order. A released one never changes. */
export const migrations: readonly Migration[] = [initial, schedules];
