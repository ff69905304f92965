import { ApiError } from "../http/error-codes.ts";

/** Maximum credentials per query. */
const maxTogether = 100;
/** Maximum waiting look-ups. They are answered in well under a second unless the database stalls. */
const maxWaiting = 10_000;

interface LookUp<Row> {
  readonly digests: readonly string[];
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Finds the row of a credential by the digests it may be stored under. Look-ups are batched, and one query runs at a time: any number of
 * unknown credentials then takes at most one connection, and the next query answers valid ones with them. A look-up never joins a query
 * that has begun.
 *
 * @param find gives the rows of some digests, by digest.
 * @throws ApiError `unready` (credentials_full) when too many wait.
 */
export function createSharedLookUp<Row>(find: (digests: readonly string[]) => Promise<ReadonlyMap<string, Row>>) {
  const waiting: LookUp<Row>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const together = waiting.splice(0, maxTogether);
      try {
        const found = await find(together.flatMap(({ digests }) => digests));
        for (const { digests, resolve } of together)
          resolve(digests.map((digest) => found.get(digest)).find((row) => row !== undefined));
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    isRunning = false;
  }

  return (digests: readonly string[]): Promise<Row | undefined> =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting)
        return reject(new ApiError("unready", { reason: "credentials_full" }, { headers: { "retry-after": "1" } }));
      waiting.push({ digests, resolve, reject });
      if (!isRunning) void run();
    });
}
