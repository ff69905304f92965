import { freshDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { openPool } from "./dialects/postgres/pool.ts";
import { isInUse } from "./in-use.ts";

describe.runIf(testDialects.includes("postgres"))("whether a server database is in use", () => {
  test("is told of connections that the URL gives another name, and not of one's own", async () => {
    const { url, drop } = await freshDatabaseUrl("postgres");
    const named = new URL(url);
    named.searchParams.set("application_name", "tasks");
    const options = {
      url: named.href,
      poolSize: 1,
      maxOverflow: 0,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 3000,
      idleInTransactionMs: 30_000,
      inactiveConnectionSeconds: 60,
      requireTls: false,
    };
    expect(await isInUse(options)).toBe(false);
    const pool = openPool(options);
    await pool.query("SELECT 1");
    expect(await isInUse(options)).toBe(true);
    await pool.end();
    await drop();
  });
});
