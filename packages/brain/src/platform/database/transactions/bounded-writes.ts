import type { Database } from "../database.ts";
import { TooManyTransactions } from "../errors.ts";

/** Maximum write transactions of one process, including waiting ones; each holds the data of its request. */
const maxWrites = 5000;

/** As `write`, but refuses new transactions with a transient error while this many are running. */
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
