/** A database whose reads advance the test clock. */
import type { FakeClock } from "@svc/testkit";
import type { Kysely, KyselyPlugin } from "kysely";
import type { Database } from "../src/platform/database/database.ts";
import type { Tables } from "../src/schema/tables/index.ts";

export interface TimedStep {
  /** The most rows that the statement may read. */
  readonly rows: number;
  /** Start of the statement. */
  readonly atMs: number;
}

/** The same database, but each statement that matches tasks one by one advances the clock by `rowMs` for every row that it may read. */
export function timedReads(
  given: Database<Tables>,
  clock: FakeClock,
  rowMs: number,
): { database: Database<Tables>; steps: readonly TimedStep[] } {
  const steps: TimedStep[] = [];

  function timed(read: Kysely<Tables>): Kysely<Tables> {
    const asked = new WeakMap<object, number>();
    const plugin: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        const { sql, parameters } = read.getExecutor().compileQuery(node, queryId);
        if (sql.includes("is_match")) asked.set(queryId, rowsOf(parameters));
        return node;
      },
      async transformResult({ result, queryId }) {
        const rows = asked.get(queryId);
        if (rows !== undefined) {
          steps.push({ rows, atMs: clock.monotonicMs() });
          clock.advance(rows * rowMs);
        }
        return result;
      },
    };
    return read.withPlugin(plugin);
  }

  return { database: { ...given, read: timed(given.read), slow: timed(given.slow) }, steps };
}

/** The number of ids, a list for PostgreSQL and JSON for SQLite; otherwise the limit, which occurs twice. */
function rowsOf(parameters: readonly unknown[]): number {
  for (const parameter of parameters) {
    if (Array.isArray(parameter)) return parameter.length;
    if (typeof parameter === "string" && parameter.startsWith('["')) return (JSON.parse(parameter) as string[]).length;
  }
  const numbers = parameters.filter((parameter) => typeof parameter === "number");
  return Math.max(...numbers.filter((number, index) => numbers.indexOf(number) !== index));
}
