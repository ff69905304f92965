import type { Clock } from "../../../platform/clock.ts";
import type { SqliteBulk } from "../../../platform/database/database.ts";
import type { CommitEvents } from "./commit.ts";
import { groupEvents } from "./event-group.ts";
import { committedOf, type GroupAnswer, messageOf } from "./message.ts";

/** Sends groups to the writer thread, one message each. */
export const commitOnSqlite =
  (bulk: SqliteBulk, clock: Pick<Clock, "now">): CommitEvents =>
  async (given) => {
    const group = groupEvents(given);
    // The message is not kept in a variable, so that it can be freed once it is sent.
    const answer = await bulk.job("ingest.store-group", messageOf(group, clock.now().getTime()));
    return committedOf(group, answer as GroupAnswer);
  };
