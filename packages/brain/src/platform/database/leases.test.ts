import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { leaseNumber } from "./dialects/postgres/leases.ts";

describe("the lease of a named loop", () => {
  test("has a number with a cleared top bit, which is its own", () => {
    const numbers = ["agents.health", "stats.fold"].map(leaseNumber);
    expect(new Set(numbers).size).toBe(2);
    expect(numbers.every((number) => number >= 0n && number < 2n ** 63n)).toBe(true);
  });
});

describe.runIf(testDialects.includes("postgres"))("leases of two processes on one PostgreSQL", () => {
  const opened = useTestDatabase("postgres");

  test("go to one at a time, and to the other once they are given back", async () => {
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
});
