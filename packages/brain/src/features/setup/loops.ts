import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { deleteEndedSetupTokens } from "./store.ts";

/** Deletes set-up tokens whose time is over, used or not. */
export const pruneSetupTokens: Loop<{ database: Pick<Database<Tables>, "write">; clock: Pick<Clock, "now"> }> = {
  name: "setup.retention",
  ...hourlyRetention,
  tick: async ({ database, clock }) => ({
    deleted: await database.write((tx) => deleteEndedSetupTokens(tx, clock.now())),
  }),
};
