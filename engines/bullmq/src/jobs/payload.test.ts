import { createRedactor } from "@svc/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPayload, shortPayload } from "./payload.ts";

const { redact } = createRedactor();
const reported = (value: unknown) => redact(readPayload(JSON.stringify(value)));

describe("a payload", () => {
  test("of usual length stays unchanged", () => {
    expect(readPayload('{"a":[1,"x"],"big":12345678901234567890}')).toMatchObject({ a: [1, "x"] });
    expect(readPayload("{broken")).toBe("{broken");
    expect(readPayload(undefined)).toBeUndefined();
  });

  test("that is long stays a value, so that its secrets are masked", () => {
    const card = { card_number: "4111111111111111", document: "x".repeat(70_000) };
    expect(reported({ password: "hunter2", ...card, to: 7 })).toEqual({
      password: "[REDACTED]",
      card_number: "[REDACTED]",
      document: `${"x".repeat(8192)}[...61808 more bytes truncated]`,
      to: 7,
    });
    expect(JSON.stringify(reported([{ nested: card }]))).not.toContain("4111");
  });

  test("with very many members keeps the first of them and the number of omitted ones", () => {
    const numbers = Array.from({ length: 50_000 }, (_, n) => n);
    const list = reported({ numbers, after: 1 }) as { numbers: unknown[] };
    expect(list.numbers.slice(0, 3)).toEqual([0, 1, 2]);
    expect(list.numbers.at(-1)).toBe(`[${50_001 - list.numbers.length} more not reported]`);
    expect(list).toMatchObject({ "...": "[1 more not reported]" });
  });

  test("that is enormous, or long and invalid JSON, is omitted", () => {
    const enormous = JSON.stringify({ password: "hunter2", text: "x".repeat(2_000_000) });
    expect(readPayload(enormous)).toBe(`[${enormous.length} characters not reported]`);
    const broken = `{"password":"hunter2",${" ".repeat(70_000)}`;
    expect(readPayload(broken)).toBe(`[${broken.length} characters not reported]`);
  });

  test("is short after shortening, whatever it contained", () => {
    const text = fc.string({ maxLength: 300 });
    const value = fc.array(fc.oneof(fc.dictionary(text, text), fc.array(fc.double()), text), { maxLength: 20 });
    fc.assert(
      fc.property(value, (part) => {
        const { length } = shortPayload(JSON.stringify(Array(200).fill(part)));
        expect(length).toBeLessThan(2 * 65_536);
      }),
      { numRuns: 30 },
    );
  });
});
