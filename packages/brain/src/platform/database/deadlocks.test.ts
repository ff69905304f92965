import { openStorage } from "@svc/brain/storage";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";

describe.runIf(testDialects.includes("postgres"))("deadlocks of the server database", () => {
  const opened = useTestDatabase("postgres");

  test("are told once each, whoever handles the error", async () => {
    let told = 0;
    const database = await openStorage({
      url: opened.url,
      synchronous: "full",
      poolSize: 4,
      maxOverflow: 0,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 8000,
      idleInTransactionMs: 30_000,
      inactiveConnectionSeconds: 60,
      requireTls: false,
      onError: () => {},
      onDeadlock() {
        told += 1;
      },
    });
    await database.write((tx) =>
      tx
        .insertInto("meta")
        .values(["a", "b"].map((key) => ({ key, value: "0" })))
        .execute(),
    );
    const bothHold = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const crossed = (own: 0 | 1) =>
      database.write(async (tx) => {
        const [first, second] = own === 0 ? ["a", "b"] : ["b", "a"];
        await tx.updateTable("meta").set({ value: "1" }).where("key", "=", first!).execute();
        bothHold[own].resolve();
        await bothHold[own === 0 ? 1 : 0].promise;
        await tx.updateTable("meta").set({ value: "1" }).where("key", "=", second!).execute();
      });

    const outcomes = await Promise.allSettled([crossed(0), crossed(1)]);

    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(told).toBe(1);
    await database.close();
  });
});
