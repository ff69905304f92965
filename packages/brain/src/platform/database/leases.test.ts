import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { createLeases, leaseNumber } from "./dialects/postgres/leases.ts";

describe("the lease of a named loop", () => {
  test("has a number with a cleared top bit, which is its own", () => {
    const numbers = ["agents.health", "stats.fold"].map(leaseNumber);
    expect(new Set(numbers).size).toBe(2);
    expect(numbers.every((number) => number >= 0n && number < 2n ** 63n)).toBe(true);
  });
});

describe.runIf(testDialects.includes("postgres"))("leases of two processes on one PostgreSQL", () => {
  const opened = useTestDatabase("postgres");

  test("go to one process at a time, and to the other after release", async () => {
    const other = await opened.openAgain();
    try {
      const asked = await Promise.all(["a", "b", "c"].map((name) => opened.database.lead(name)));
      expect(asked.map((lease) => lease?.isHeld())).toEqual([true, true, true]);
      expect(await other.lead("a")).toBeNull();
      await asked[0]?.release();
      const taken = await other.lead("a");
      expect(taken?.isHeld()).toBe(true);
    } finally {
      await other.close();
    }
  });

  test("end with the connection that held them", async () => {
    const other = await opened.openAgain();
    const lease = await other.lead("d");
    await other.close();
    expect(lease?.isHeld()).toBe(false);
    expect((await opened.database.lead("d"))?.isHeld()).toBe(true);
  });

  test("are lost when the connection hangs, and can be taken again once it does not", async () => {
    const { hostname, port } = new URL(opened.url);
    const network = await startFaultyNetwork({ host: hostname, port: Number(port) });
    const through = new URL(opened.url);
    through.host = `127.0.0.1:${network.port}`;
    const leases = createLeases({ connectionString: through.href }, () => {}, 300);
    try {
      const lease = await leases.lead("e");
      expect(lease?.isHeld()).toBe(true);

      network.blackhole();
      await expect(leases.lead("f")).rejects.toThrow(/timeout/);
      expect(lease?.isHeld()).toBe(false);
      // The lease is no longer held, so its release has nothing to do and waits for nothing.
      await lease?.release();

      network.heal();
      const again = await waitFor(() => leases.lead("e"), { that: "the old connection's end on the server" });
      expect(again.isHeld()).toBe(true);
      expect(lease?.isHeld()).toBe(false);
    } finally {
      network.heal();
      await leases.close();
      await network.close();
    }
  });
});
