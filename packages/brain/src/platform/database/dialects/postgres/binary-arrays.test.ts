import { useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { bigintArray, jsonbArray, textArray, timestamptzArray, uuidArray } from "./binary-arrays.ts";

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

  test("brings texts of any letters, empty ones and nulls", () =>
    check(orNull(words), async (values) => {
      expect(await readBack("text", textArray(values))).toEqual(values);
    }));

  test("brings UUIDs of either case, repeated ones too", () =>
    check(fc.oneof(fc.uuid(), fc.constant("AAAAAAAA-bbbb-4ccc-8ddd-EEEEEEEEEEEE")), async (values) => {
      expect(await readBack("uuid", uuidArray(values))).toEqual(values.map((value) => value.toLowerCase()));
    }));

  test("brings safe integers of either sign", () =>
    check(orNull(fc.maxSafeInteger().map((value) => value + 0)), async (values) => {
      expect(await readBack("bigint", bigintArray(values))).toEqual(values.map((value) => (value === 0 ? 0 : value)));
    }));

  test("brings instants to the millisecond, before 1970 and 2000 too", () => {
    const instants = fc.date({
      min: new Date("0001-01-02T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true,
    });
    return check(orNull(instants), async (values) => {
      const array = timestamptzArray(values.map((value) => value?.getTime() ?? null));
      expect(await readBack("timestamptz", array)).toEqual(values);
    });
  });

  test("brings JSON", () =>
    check(orNull(fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.stringify(value))), async (values) => {
      const clean = values.map((value) => (value === null || /\\u(0000|d[89a-f])/i.test(value) ? null : value));
      const read = (await readBack("jsonb", jsonbArray(clean))) as (string | null)[];
      // JSON numbers have one zero on the server.
      const parse = (text: string | null) => (text === null ? null : JSON.parse(text.replace(/-0(?![.\d])/g, "0")));
      expect(read.map(parse)).toEqual(clean.map(parse));
    }));

  test("holds a batch larger than its scratch space", async () => {
    const values = Array.from({ length: 40 }, (_, index) => "é".repeat(100_000 + index));
    expect(await readBack("text", textArray(values))).toEqual(values);
  });
});
