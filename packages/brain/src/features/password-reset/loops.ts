import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { deleteEndedResetTokens } from "./store.ts";

/** Deletes reset tokens whose time is over. Leader only: one replica is enough for it. */
export const prunePasswordResets: Loop<{ database: Pick<Database<Tables>, "write">; clock: Pick<Clock, "now"> }> = {
  name: "password-reset.retention",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  tick: async ({ database, clock }) => ({
    deleted: await database.write((tx) => deleteEndedResetTokens(tx, clock.now())),
  }),
};
