import { useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import type { Pool, PoolClient } from "pg";
import { describe, expect, test } from "vitest";
import { arrayOf, bigint, column, jsonb, repeatedUuid, text, timestamptz, uuid } from "./binary-values.ts";
import { copyIn, uniqueViolation } from "./copy-in.ts";

describe("a binary array parameter", () => {
  const opened = useTestDatabase("postgres");

  async function readBack(type: string, array: Buffer): Promise<unknown[]> {
    const { pool } = opened.database.bulk as unknown as { pool: Pool };
    const { rows } = await pool.query(`SELECT v FROM unnest($1::${type}[]) AS r (v)`, [array]);
    return rows.map(({ v }) => v);
  }
  const check = <Value>(arbitrary: fc.Arbitrary<Value>, roundTrip: (values: Value[]) => Promise<void>) =>
    fc.assert(fc.asyncProperty(fc.array(arbitrary, { maxLength: 30 }), roundTrip), { numRuns: 50 });
  const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
  const words = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", ""));

  test("sends texts of any characters, empty ones and nulls", () =>
    check(orNull(words), async (values) => {
      expect(await readBack("text", arrayOf(text, values))).toEqual(values);
    }));

  test("brings UUIDs of either case, repeated ones too", () =>
    check(fc.oneof(fc.uuid(), fc.constant("AAAAAAAA-bbbb-4ccc-8ddd-EEEEEEEEEEEE")), async (values) => {
      const lowerCase = values.map((value) => value.toLowerCase());
      expect(await readBack("uuid", arrayOf(uuid, values))).toEqual(lowerCase);
      expect(await readBack("uuid", arrayOf(repeatedUuid(), values))).toEqual(lowerCase);
    }));

  test("brings safe integers of either sign", () =>
    check(orNull(fc.maxSafeInteger().map((value) => value + 0)), async (values) => {
      expect(await readBack("bigint", arrayOf(bigint, values))).toEqual(
        values.map((value) => (value === 0 ? 0 : value)),
      );
    }));

  test("brings instants to the millisecond, before 1970 and 2000 too", () => {
    const instants = fc.date({
      min: new Date("0001-01-02T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true,
    });
    return check(orNull(instants), async (values) => {
      const array = arrayOf(
        timestamptz,
        values.map((value) => value?.getTime() ?? null),
      );
      expect(await readBack("timestamptz", array)).toEqual(values);
    });
  });

  test("brings JSON", () =>
    check(orNull(fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.stringify(value))), async (values) => {
      const clean = values.map((value) => (value === null || /\\u(0000|d[89a-f])/i.test(value) ? null : value));
      const read = (await readBack("jsonb", arrayOf(jsonb, clean))) as (string | null)[];
      // JSON numbers have one zero on the server.
      const parse = (text: string | null) => (text === null ? null : JSON.parse(text.replace(/-0(?![.\d])/g, "0")));
      expect(read.map(parse)).toEqual(clean.map(parse));
    }));

  test("holds a batch larger than its scratch space", async () => {
    const values = Array.from({ length: 40 }, (_, index) => "é".repeat(100_000 + index));
    expect(await readBack("text", arrayOf(text, values))).toEqual(values);
  });
});

describe("copied rows", () => {
  const opened = useTestDatabase("postgres");
  interface Row {
    readonly id: string;
    readonly owner: string;
    readonly word: string | null;
    readonly at: number | null;
    readonly size: number | null;
    readonly body: string | null;
  }
  const columns = [
    column("id", uuid, ({ id }: Row) => id),
    column("owner", repeatedUuid(), ({ owner }: Row) => owner),
    column("word", text, ({ word }: Row) => word),
    column("at", timestamptz, ({ at }: Row) => at),
    column("size", bigint, ({ size }: Row) => size),
    column("body", jsonb, ({ body }: Row) => body),
  ];
  const rowNumbered = (index: number): Row => ({
    id: `11111111-2222-4333-8444-${String(index).padStart(12, "0")}`,
    owner: index % 3 === 0 ? "aaaaaaaa-2222-4333-8444-555555555555" : "bbbbbbbb-2222-4333-8444-555555555555",
    word: index % 5 === 0 ? null : `Grüße\t\\${index} ${"x".repeat(index * 7)}`,
    at: index % 4 === 0 ? null : index * 86_400_000,
    size: index % 2 === 0 ? null : index - 5,
    body: index % 3 === 1 ? null : JSON.stringify({ index, text: "né" }),
  });

  async function withTable(work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await (opened.database.bulk as unknown as { pool: Pool }).pool.connect();
    try {
      await client.query(`CREATE TABLE copied (
        id uuid PRIMARY KEY, owner uuid, word text, at timestamptz, size bigint, body jsonb)`);
      await work(client);
    } finally {
      await client.query("ROLLBACK");
      await client.query("DROP TABLE copied");
      client.release();
    }
  }

  async function stored(client: PoolClient): Promise<unknown[]> {
    const { rows } = await client.query("SELECT id, owner, word, at, size, body::text FROM copied ORDER BY id");
    return rows.map(({ at, body, ...row }) => ({ ...row, at: at?.getTime() ?? null, body: JSON.parse(body) }));
  }
  const asStored = ({ body, ...row }: Row) => ({ ...row, body: body === null ? null : JSON.parse(body) });

  test("arrive as they were given, with nulls and none at all", () =>
    withTable(async (client) => {
      await copyIn(client, "copied", columns, []);
      const rows = Array.from({ length: 200 }, (_, index) => rowNumbered(index));
      await copyIn(client, "copied", columns, rows);
      expect(await stored(client)).toEqual(rows.map(asStored));
    }));

  test("are refused together when one is there, and the statements that travel with them get their own answers", () =>
    withTable(async (client) => {
      await copyIn(client, "copied", columns, [rowNumbered(7)]);
      const [began, copied, behind] = await Promise.allSettled([
        client.query("BEGIN"),
        copyIn(client, "copied", columns, [rowNumbered(6), rowNumbered(7)]),
        client.query("SELECT 1"),
      ]);
      expect(began.status).toBe("fulfilled");
      expect(copied).toMatchObject({ status: "rejected", reason: { code: uniqueViolation } });
      expect(behind).toMatchObject({ status: "rejected", reason: { code: "25P02" } });
      await client.query("ROLLBACK");
      expect(await stored(client)).toEqual([asStored(rowNumbered(7))]);
      await copyIn(client, "copied", columns, [rowNumbered(8)]);
      expect(await stored(client)).toHaveLength(2);
    }));

  test("that the server cannot read fail alone", () =>
    withTable(async (client) => {
      const broken = copyIn(client, "copied", columns, [{ ...rowNumbered(1), body: "{" }]);
      await expect(broken).rejects.toMatchObject({ code: "22P02" });
      expect(await stored(client)).toEqual([]);
    }));
});
