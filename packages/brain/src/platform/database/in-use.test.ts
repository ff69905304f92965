import { startFaultyNetwork } from "@svc/testkit";
import { freshDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { openPool } from "./dialects/postgres/pool.ts";
import { isInUse } from "./in-use.ts";

const limits = {
  poolSize: 1,
  maxOverflow: 0,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 3000,
  idleInTransactionMs: 30_000,
  inactiveConnectionSeconds: 60,
  requireTls: false,
};

describe.runIf(testDialects.includes("postgres"))("whether a server database is in use", () => {
  test("detects connections that the URL names differently, and ignores its own", async () => {
    const { url, drop } = await freshDatabaseUrl("postgres");
    const named = new URL(url);
    named.searchParams.set("application_name", "tasks");
    const options = { ...limits, url: named.href };
    expect(await isInUse(options)).toBe(false);
    const { pool, close } = openPool(options);
    await pool.query("SELECT 1");
    expect(await isInUse(options)).toBe(true);
    await close();
    await drop();
  });

  test("is false once a pool reports that it is closed", async () => {
    const { url, drop } = await freshDatabaseUrl("postgres");
    const network = await startFaultyNetwork({ port: Number(new URL(url).port) });
    const through = new URL(url);
    through.port = String(network.port);
    const { pool, close } = openPool({ ...limits, url: through.href });
    await pool.query("SELECT 1");
    network.blackhole();
    let isClosed = false;
    const closing = close().then(() => {
      isClosed = true;
    });
    expect([await isInUse({ ...limits, url }), isClosed]).toEqual([true, false]);
    network.heal();
    await closing;
    expect(await isInUse({ ...limits, url })).toBe(false);
    await network.close();
    await drop();
  });
});
