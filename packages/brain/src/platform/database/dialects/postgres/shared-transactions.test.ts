import { type OpenedTestDatabase, testDialects, useTestDatabase } from "@svc/testkit/databases";
import type { Kysely } from "kysely";
import { describe, expect, test } from "vitest";
import { atEnd } from "../../transactions/at-end.ts";
import { createSharedTransactions } from "./shared-transactions.ts";

type Tables = OpenedTestDatabase["database"]["read"] extends Kysely<infer Schema> ? Schema : never;

describe.runIf(testDialects.includes("postgres"))("transactions that several share on PostgreSQL", () => {
  const opened = useTestDatabase("postgres");

  /** One lane, held by its first member until `release`, so that all later members share the next transaction. */
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

  test("run the final work once, with the items of successful members, in order", async () => {
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

  test("skip the final work when all members that requested it failed", async () => {
    const { write, release } = oneLane();
    const ended: number[][] = [];
    const failing = write(async (tx) => {
      await atEnd(tx, "test", [1], async (items) => void ended.push([...items]));
      throw new Error("refused");
    });
    const results = [failing, write(insert("f.1"))];
    release();
    const settled = await Promise.allSettled(results);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(ended).toEqual([]);
  });

  test("fail only the members that requested the final work when it fails permanently", async () => {
    const { write, release } = oneLane();
    const member = (key: string) =>
      write(async (tx) => {
        await insert(key)(tx);
        await atEnd(tx, "test", [key], () => Promise.reject(new Error("the chain is broken")));
      });
    const results = [member("b.1"), write(insert("b.2")), member("b.3")];
    release();
    const settled = await Promise.allSettled(results);
    expect(settled.map((result) => (result.status === "fulfilled" ? "done" : String(result.reason)))).toEqual([
      "Error: the chain is broken",
      "done",
      "Error: the chain is broken",
    ]);
    expect(await keys("b")).toEqual(["b.2"]);
  });

  test("fail together when the final work fails temporarily, since all would wait for it again", async () => {
    const { write, release, begun } = oneLane();
    const timeout = Object.assign(new Error("lock timeout"), { code: "55P03" });
    const last = write((tx) => atEnd(tx, "test", [1], () => Promise.reject(timeout)));
    const results = [last, write(insert("d.1"))];
    release();
    const settled = await Promise.allSettled(results);
    expect(settled.map((result) => (result as PromiseRejectedResult).reason)).toEqual([timeout, timeout]);
    expect(await keys("d")).toEqual([]);
    expect(begun()).toBe(2);
  });

  test("lose no member to a deadlock caused by sharing", async () => {
    await Promise.all(["e.1", "e.2"].map((key) => opened.database.write(insert(key))));
    const write = createSharedTransactions<Tables>((work) => opened.database.read.transaction().execute(work), {
      lanes: 2,
      maxMembers: 2,
    });
    const change = (key: string, value: string) => (tx: Parameters<ReturnType<typeof insert>>[0]) =>
      tx
        .updateTable("meta")
        .set((eb) => ({ value: eb("value", "||", value) }))
        .where("key", "=", key)
        .execute();
    const [lane, lane2] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [has1, has2] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lanes = [write(() => lane.promise), write(() => lane2.promise)];
    const results = [
      write(async (tx) => {
        await change("e.1", "a")(tx);
        has1.resolve();
        await has2.promise;
      }),
      write(change("e.2", "b")),
      write(async (tx) => {
        await change("e.2", "c")(tx);
        has2.resolve();
        await has1.promise;
      }),
      write(change("e.1", "d")),
    ];
    lane.resolve();
    lane2.resolve();
    await Promise.all([...lanes, ...results]);
    const rows = await opened.database.read.selectFrom("meta").selectAll().where("key", "like", "e.%").execute();
    const values = Object.fromEntries(rows.map(({ key, value }) => [key, [...value].sort().join("")]));
    expect(values).toEqual({ "e.1": "adx", "e.2": "bcx" });
  });

  test("are not shared with one that must be alone", async () => {
    const { write, release, begun } = oneLane();
    const results = [write(insert("c.1")), write(insert("c.2"), { alone: true }), write(insert("c.3"))];
    release();
    await Promise.all(results);
    expect(begun()).toBe(4);
    expect(await keys("c")).toEqual(["c.1", "c.2", "c.3"]);
  });
});
