import { freshDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { openPool } from "../dialects/postgres/pool.ts";

describe.runIf(testDialects.includes("postgres"))("deadlocks of the server database", () => {
  test("are reported once each, however the error is handled", async () => {
    const { url, drop } = await freshDatabaseUrl("postgres");
    let reported = 0;
    const { pool, close } = openPool({
      url,
      poolSize: 3,
      maxOverflow: 0,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 8000,
      idleInTransactionMs: 30_000,
      inactiveConnectionSeconds: 60,
      requireTls: false,
      onDeadlock() {
        reported += 1;
      },
    });
    await pool.query("CREATE TABLE pairs (key text PRIMARY KEY, value int)");
    await pool.query("INSERT INTO pairs VALUES ('a', 0), ('b', 0)");
    const update = "UPDATE pairs SET value = 1 WHERE key = $1";
    const [one, other] = [await pool.connect(), await pool.connect()];
    await one.query("BEGIN");
    await other.query("BEGIN");
    await one.query(update, ["a"]);
    await other.query(update, ["b"]);

    const outcomes = await Promise.allSettled([one.query(update, ["b"]), other.query(update, ["a"])]);

    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(reported).toBe(1);
    one.release(true);
    other.release(true);
    await close();
    await drop();
  });
});
