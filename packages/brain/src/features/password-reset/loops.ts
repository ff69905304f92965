import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { deleteEndedResetTokens } from "./store.ts";

/** Deletes reset tokens whose time is over. */
export const prunePasswordResets: Loop<Core> = {
  name: "password-reset.retention",
  ...hourlyRetention,
  tick: async ({ database, clock }) => ({
    deleted: await database.write((tx) => deleteEndedResetTokens(tx, clock.now())),
  }),
};
