import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { deleteEndedResetTokens } from "./store.ts";

/** Deletes reset tokens whose time is over. */
export const prunePasswordResets: Loop<{ database: Pick<Database<Tables>, "write">; clock: Pick<Clock, "now"> }> = {
  name: "password-reset.retention",
  ...hourlyRetention,
  tick: async ({ database, clock }) => ({
    deleted: await database.write((tx) => deleteEndedResetTokens(tx, clock.now())),
  }),
};
