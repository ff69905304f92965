import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { type RawBuilder, sql } from "kysely";
import { describe, expect, test } from "vitest";
import { byDialect } from "../by-dialect.ts";
import { jsonArrayHas, jsonElements } from "./json-columns.ts";
import { greatestId, rowAddress } from "./row-address.ts";
import { isTextWithin, storedBytes } from "./stored-size.ts";
import { hasParts, holdsText } from "./text-matching.ts";
import { bucketNumber } from "./time-buckets.ts";
import { isAmong, valuesRows, valuesTable } from "./values-table.ts";

const idOf = (number: number) => `${number}1111111-2222-4333-8444-555555555555`;

for (const dialect of testDialects) {
  describe(`expressions for both databases on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const rowsOf = async <Row>(query: RawBuilder<Row>) => (await query.execute(opened.database.read)).rows;
    /** SQLite returns conditions as numbers. */
    const isTrue = async (condition: RawBuilder<unknown>) => {
      const [row] = await rowsOf(sql<{ n: number }>`SELECT CASE WHEN ${condition} THEN 1 ELSE 0 END AS n`);
      return Number(row?.n) === 1;
    };
    const text = (value: string) => sql`CAST(${value} AS text)`;

    test("take the form of their database, within one another as well", async () => {
      const inner = byDialect<string>({ postgres: sql`'server'`, sqlite: sql`'embedded'` });
      const outer = byDialect<string>({
        postgres: sql`${inner} || ${text("!")}`,
        sqlite: sql`${inner} || ${text("?")}`,
      });
      const rows = await rowsOf(sql<{ name: string }>`SELECT ${outer} AS name`);
      expect(rows).toEqual([{ name: dialect === "postgres" ? "server!" : "embedded?" }]);
    });

    test("lock rows on the server database alone", async () => {
      const query = opened.database.read.selectFrom("projects").select("id").forUpdate().skipLocked();
      const locks = / for update skip locked$/;
      expect(locks.test(query.compile().sql)).toBe(dialect === "postgres");
      expect(await query.execute()).toEqual([]);
    });

    test("give lists of values as tables and conditions", async () => {
      await addProject(opened.database, idOf(1));
      const ids = [idOf(1), idOf(2)];
      const given = await rowsOf(
        sql<{ value: string }>`SELECT given.value FROM ${valuesTable("uuid", ids)} ORDER BY 1`,
      );
      expect(given.map(({ value }) => value)).toEqual(ids);
      const among = (some: readonly string[]) =>
        rowsOf(sql<{ id: string }>`SELECT id FROM projects WHERE ${isAmong("id", "uuid", some)}`);
      expect(await among(ids)).toEqual([{ id: idOf(1) }]);
      expect(await among([])).toEqual([]);
      const rows = await rowsOf(
        sql<{ id: string }>`WITH given (id, at) AS (${valuesRows(
          ["uuid", "timestamptz"],
          ids.map((id, index) => [id, new Date(index)]),
        )}) SELECT id FROM given WHERE at > ${new Date(0)}`,
      );
      expect(rows).toEqual([{ id: idOf(2) }]);
    });

    test("find a row by its place, and the greatest id", async () => {
      await addProject(opened.database, idOf(3));
      const { numDeletedRows } = await opened.database.write((tx) =>
        tx
          .deleteFrom("projects")
          .where(rowAddress, "in", (eb) =>
            eb.selectFrom("projects").select(rowAddress.as("place")).where("id", "=", idOf(3)),
          )
          .executeTakeFirst(),
      );
      expect(numDeletedRows).toBe(1n);
      const given = valuesTable("uuid", [idOf(4), idOf(6), idOf(5)]);
      expect(await rowsOf(sql`SELECT ${greatestId(sql`given.value`)} AS id FROM ${given}`)).toEqual([{ id: idOf(6) }]);
    });

    test("match texts literally and with case", async () => {
      for (const [value, needle] of [
        ["50% off_", "% o"],
        ["a*b?[c]", "*b?["],
      ] as const) {
        expect(await isTrue(holdsText(text(value), needle))).toBe(true);
        expect(await isTrue(holdsText(text(value), needle.toUpperCase()))).toBe(false);
        expect(await isTrue(hasParts(text(value), ["", needle, ""]))).toBe(true);
        expect(await isTrue(hasParts(text(value), [needle, ""]))).toBe(false);
      }
    });

    test("search JSON arrays", async () => {
      const elements = await rowsOf(
        sql<{ first: string }>`SELECT value ->> 0 AS first FROM ${jsonElements([["a"], ["b"]])}`,
      );
      expect(elements.map(({ first }) => first)).toEqual(["a", "b"]);
      await addProject(opened.database, idOf(7));
      await opened.database.write((tx) =>
        tx.updateTable("projects").set({ allowed_schedulers: '["one","two"]' }).where("id", "=", idOf(7)).execute(),
      );
      const having = (name: string) =>
        rowsOf(sql`SELECT id FROM projects WHERE ${jsonArrayHas("allowed_schedulers", name)}`);
      expect(await having("two")).toEqual([{ id: idOf(7) }]);
      expect(await having("tw")).toEqual([]);
    });

    test("know how large a text is", async () => {
      const [row] = await rowsOf(sql<{ bytes: number }>`SELECT ${storedBytes(text("abc"))} AS bytes`);
      expect(Number(row?.bytes)).toBeGreaterThanOrEqual(3);
      expect(await isTrue(isTextWithin(text("ä".repeat(10)), 100))).toBe(true);
      expect(await isTrue(isTextWithin(text("ä".repeat(10)), 19))).toBe(false);
    });

    test("number buckets of time, also before the first one", async () => {
      const ms = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
      const widths = fc.constantFrom(60_000, 900_000, 86_400_000, 420_000);
      await fc.assert(
        fc.asyncProperty(ms, fc.integer({ min: -1000, max: 1000 }), widths, async (fromMs, buckets, widthMs) => {
          for (const atMs of [fromMs + buckets * widthMs - 1, fromMs + buckets * widthMs]) {
            const at = valuesRows(["timestamptz"], [[new Date(atMs)]]);
            const [row] = await rowsOf(
              sql<{
                bucket: number;
              }>`WITH given (at) AS (${at}) SELECT ${bucketNumber("at", { fromMs, widthMs })} AS bucket FROM given`,
            );
            expect(Number(row?.bucket)).toBe(Math.floor((atMs - fromMs) / widthMs));
          }
        }),
        { numRuns: 50 },
      );
    });
  });
}
