import type { DialectName } from "../../../platform/database/database.ts";
import * as postgres from "./postgres-reads.ts";
import * as sqlite from "./sqlite-reads.ts";

const databaseSearches = {
  postgres: {
    valuesWith: postgres.valuesWith,
    newestById: postgres.newestById,
    countAtOnce: postgres.countAtOnce,
    countIndexStep: null,
  },
  sqlite: {
    valuesWith: sqlite.valuesWith,
    newestById: sqlite.newestById,
    countAtOnce: null,
    countIndexStep: sqlite.countIndexStep,
  },
};

/** How a database finds a text without walking the tasks, and how it counts matches; null where it cannot. */
export const searchesOf = ({ dialect }: { readonly dialect: DialectName }) => databaseSearches[dialect];
