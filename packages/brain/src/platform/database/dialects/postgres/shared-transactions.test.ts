import { type OpenedTestDatabase, testDialects, useTestDatabase } from "@svc/testkit/databases";
import type { Kysely } from "kysely";
import { describe, expect, test } from "vitest";
import { atEnd } from "../../at-end.ts";
import { createSharedTransactions } from "./shared-transactions.ts";

type Tables = OpenedTestDatabase["database"]["read"] extends Kysely<infer Schema> ? Schema : never;

describe.runIf(testDialects.includes("postgres"))("transactions that several share on PostgreSQL", () => {
  const opened = useTestDatabase("postgres");

  /** One lane, held by its first member until `release`, so that all who come meanwhile share the next transaction. */
  function oneLane() {
    let begun = 0;
    const write = createSharedTransactions<Tables>(
      (work) => {
        begun += 1;
        return opened.database.read.transaction().execute(work);
      },
      { lanes: 1, maxMembers: 10 },
    );
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const first = write(() => held);
    return { write, release, first, begun: () => begun };
  }

  const keys = async (prefix: string) =>
    (
      await opened.database.read
        .selectFrom("meta")
        .select("key")
        .where("key", "like", `${prefix}.%`)
        .orderBy("key")
        .execute()
    ).map(({ key }) => key);
  const insert = (key: string) => (tx: Parameters<Parameters<typeof opened.database.write>[0]>[0]) =>
    tx.insertInto("meta").values({ key, value: "x" }).execute();

  test("answer each member with its own result or error, and keep what did not fail", async () => {
    const { write, release, begun } = oneLane();
    const results = [
      write((tx) => insert("a.1")(tx).then(() => "one")),
      write(async (tx) => {
        await insert("a.2")(tx);
        throw new Error("two");
      }),
      write(insert("a.1")),
      write((tx) => insert("a.4")(tx).then(() => "four")),
    ];
    release();
    const settled = await Promise.allSettled(results);
    expect(settled.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)))).toEqual([
      "one",
      "Error: two",
      expect.stringContaining("duplicate key"),
      "four",
    ]);
    expect(await keys("a")).toEqual(["a.1", "a.4"]);
    expect(begun()).toBe(2);
  });

  test("do what comes last once, with the items of members that did not fail, in order", async () => {
    const { write, release } = oneLane();
    const ended: string[][] = [];
    const member = (item: string, fails = false) =>
      write(async (tx) => {
        await atEnd(tx, "test", [item], async (items) => void ended.push([...items]));
        if (fails) throw new Error(item);
      });
    const results = [member("1"), member("2", true), member("3")];
    release();
    await Promise.allSettled(results);
    expect(ended).toEqual([["1", "3"]]);
  });

  test("fail together when what comes last fails", async () => {
    const { write, release } = oneLane();
    const member = (key: string) =>
      write(async (tx) => {
        await insert(key)(tx);
        await atEnd(tx, "test", [key], () => Promise.reject(new Error("the chain is broken")));
      });
    const results = [member("b.1"), write(insert("b.2"))];
    release();
    const settled = await Promise.allSettled(results);
    expect(settled.map((result) => String((result as PromiseRejectedResult).reason))).toEqual([
      "Error: the chain is broken",
      "Error: the chain is broken",
    ]);
    expect(await keys("b")).toEqual([]);
  });

  test("are not shared with one that has to be alone", async () => {
    const { write, release, begun } = oneLane();
    const results = [write(insert("c.1")), write(insert("c.2"), { alone: true }), write(insert("c.3"))];
    release();
    await Promise.all(results);
    expect(begun()).toBe(4);
    expect(await keys("c")).toEqual(["c.1", "c.2", "c.3"]);
  });
});
