import type { Migration } from "../../platform/database/migrate.ts";
import { initial } from "./0001-initial.ts";

/** Every migration, in order. A released one never changes. */
export const migrations: readonly Migration[] = [initial];
