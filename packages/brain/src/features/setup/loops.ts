import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { deleteEndedSetupTokens } from "./store.ts";

/** Deletes set-up tokens whose time is over, used or not. */
export const pruneSetupTokens: Loop<Core> = {
  name: "setup.retention",
  ...hourlyRetention,
  tick: async ({ database, clock }) => ({
    deleted: await database.write((tx) => deleteEndedSetupTokens(tx, clock.now())),
  }),
};
