import type { Database } from "../database.ts";
import { TooManyTransactions } from "../errors.ts";

/** Write transactions of one process, those that wait for their turn among them; each holds what its request brought. */
const maxWrites = 5000;

/** As `write`, but refuses what comes while as many as that are under way, which is transient. */
export function boundWrites<Schema>(write: Database<Schema>["write"], max = maxWrites): Database<Schema>["write"] {
  let underWay = 0;
  return async (work, options) => {
    if (underWay >= max) throw new TooManyTransactions();
    underWay += 1;
    try {
      return await write(work, options);
    } finally {
      underWay -= 1;
    }
  };
}
