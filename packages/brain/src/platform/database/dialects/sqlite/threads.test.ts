import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SqliteBulk } from "../../database.ts";
import { isTransient } from "../../errors.ts";
import { openSqlite } from "./open.ts";

const require = createRequire(import.meta.url);

describe("the threads of the embedded database", () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof open>>;

  /** Opens a database whose writer can be made to exit, or to lose its transaction. */
  async function open(options: { idleSessionMs?: number; maxBlockedMs?: number } = {}) {
    const writerEntry = join(folder, "writer.mts");
    await writeFile(
      writerEntry,
      `import { runWriter } from ${JSON.stringify(new URL("./writer-thread.ts", import.meta.url).href)};
      runWriter({
        end: () => () => process.exit(1),
        lose: (db) => () => db.exec("ROLLBACK"),
        arm: (db) => () => db.function("die", () => process.exit(1)),
      });`,
    );
    return openSqlite<{ notes: { text: string } }>({
      path: join(folder, "svc.db"),
      synchronous: "normal",
      namedColumns: { instants: new Set(), booleans: new Set() },
      idleSessionMs: 30_000,
      ...options,
      writerEntry,
      readerEntry: require.resolve("@svc/brain/reader-thread"),
    });
  }
  const job = (name: string) => (database.bulk as SqliteBulk).job(name, null);
  const note = (text: string) => database.write((tx) => tx.insertInto("notes").values({ text }).execute());
  const notes = async () => (await database.read.selectFrom("notes").select("text").execute()).map(({ text }) => text);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-threads-"));
    database = await open();
    await database.write((tx) => sql`CREATE TABLE notes (text TEXT NOT NULL)`.execute(tx));
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("restart after one has ended, and waiting requests may be retried", async () => {
    const error = await job("end").catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    await vi.waitFor(() => database.ping(), { timeout: 120_000 });
    await note("after");
    expect(await notes()).toEqual(["after"]);
  });

  test("let a transaction be tried again that was open while one ended, and lose all of it", async () => {
    const across = async (behind: (tx: Parameters<Parameters<typeof database.write>[0]>[0]) => Promise<unknown>) => {
      await job("arm");
      const torn = database.write(async (tx) => {
        await tx.insertInto("notes").values({ text: "before" }).execute();
        await expect(sql`SELECT die()`.execute(tx)).rejects.toThrow("has ended");
        await vi.waitFor(() => database.ping(), { timeout: 120_000 });
        await behind(tx);
      });
      return torn.catch((reason: unknown) => reason);
    };
    for (const behind of [
      (tx) => tx.insertInto("notes").values({ text: "behind" }).execute(),
      async () => {},
    ] as Parameters<typeof across>[0][]) {
      const error = await across(behind);
      expect(String(error)).toMatch("the transaction has ended");
      expect(isTransient(error)).toBe(true);
    }
    expect(await notes()).toEqual([]);
  });

  test("let a transaction be tried again that was idle for too long", async () => {
    await database.close();
    database = await open({ idleSessionMs: 100 });
    const slow = database.write(async (tx) => {
      await tx.insertInto("notes").values({ text: "slow" }).execute();
      // Its turn comes once the idle one has lost the writer.
      await job("arm");
      await tx.insertInto("notes").values({ text: "slow" }).execute();
    });
    const error = await slow.catch((reason: unknown) => reason);
    expect(String(error)).toMatch("the transaction has ended");
    expect(isTransient(error)).toBe(true);
    expect(await notes()).toEqual([]);
  });

  test("fail readiness while one cannot live", async () => {
    await writeFile(join(folder, "writer.mts"), "process.exit(1);");
    await expect(job("end")).rejects.toThrow("has ended");
    await expect(database.ping()).rejects.toThrow("has ended");
  });

  test("survive a member that loses the transaction of its group, and say who lost what", async () => {
    await expect(job("lose")).rejects.toThrow("no transaction is active");
    let lost: Promise<unknown> = Promise.resolve();
    const first = await database
      .write(async (tx) => {
        await tx.insertInto("notes").values({ text: "first" }).execute();
        // Joins the group of the open transaction.
        lost = expect(job("lose")).rejects.toThrow();
      })
      .then(
        () => ["first"],
        (error: unknown) => {
          expect(isTransient(error)).toBe(true);
          return [];
        },
      );
    await lost;
    await note("after");
    expect(await notes()).toEqual([...first, "after"]);
  });

  test("undo a failing member alone, the first of its group or a later one", async () => {
    const refused = (text: string) =>
      database.write(async (tx) => {
        await tx.insertInto("notes").values({ text }).execute();
        await sql`INSERT INTO notes VALUES (NULL)`.execute(tx);
      });
    const given = await Promise.allSettled([refused("a"), note("b"), refused("c"), note("d"), refused("e")]);
    expect(given.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled", "rejected"]);
    expect(await notes()).toEqual(["b", "d"]);
  });

  test("run no statement of a transaction that the database has rolled back", async () => {
    const torn = database.write(async (tx) => {
      await tx.insertInto("notes").values({ text: "before" }).execute();
      await sql`ROLLBACK`.execute(tx);
      await tx.insertInto("notes").values({ text: "behind" }).execute();
    });
    const error = await torn.catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    expect(await notes()).toEqual([]);
  });

  test("answer short statements within one turn of the event loop, so that a busy one does not make transactions long", async () => {
    await database.close();
    database = await open({ maxBlockedMs: 60_000 });
    let turns = 0;
    await database.write(async (tx) => {
      const insert = () => tx.insertInto("notes").values({ text: "one" }).execute();
      await insert();
      const counting = setInterval(() => (turns += 1), 0);
      for (let index = 1; index < 20; index += 1) await insert();
      clearInterval(counting);
    });
    expect(turns).toBe(0);
    expect(await notes()).toHaveLength(20);
  });

  test("do not block the event loop during a long statement", async () => {
    let turns = 0;
    await database.write(async (tx) => {
      const counting = setInterval(() => (turns += 1), 1);
      await sql`INSERT INTO notes
        WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 1000000)
        SELECT max(n) FROM counted`.execute(tx);
      clearInterval(counting);
    });
    expect(await notes()).toEqual(["1000000"]);
    expect(turns).toBeGreaterThan(1);
  });

  test("undo the transaction that is open when the database is closed", async () => {
    const half = database.write(async (tx) => {
      await tx.insertInto("notes").values({ text: "half" }).execute();
      await database.close();
    });
    await expect(half).rejects.toThrow();
    database = await open();
    expect(await notes()).toEqual([]);
  });
});
