import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prepareEntry } from "./entry.ts";

const entry = { action: "project.created", target_type: "project" };

describe("an audit entry", () => {
  test("defaults to the result success and an outcome derived from the result", () => {
    expect(prepareEntry(entry)).toMatchObject({ result: "success", outcome: "allow", metadata: "{}", user_id: null });
    expect(prepareEntry({ ...entry, result: "failed" }).outcome).toBe("failure");
    expect(prepareEntry({ ...entry, result: "denied" }).outcome).toBe("error");
    expect(prepareEntry({ ...entry, result: "denied", outcome: "deny" }).outcome).toBe("deny");
  });

  test("is truncated to the limits of its columns and contains only characters that databases accept", () => {
    const long = "é".repeat(1000);
    const prepared = prepareEntry({ action: long, target_type: long, target_id: long, result: long, user_agent: long });
    const lengths = [prepared.action, prepared.target_type, prepared.target_id, prepared.result, prepared.user_agent];
    expect(lengths.map((text) => text?.length)).toEqual([80, 40, 200, 20, 512]);
    expect(prepareEntry({ ...entry, target_id: "a\0b\ud800" }).target_id).toBe("a\ufffdb\ufffd");
  });

  test("keeps metadata up to 16 KiB, and only the scalars that fit of larger metadata", () => {
    const fits = { text: "x".repeat(16 * 1024 - '{"text":""}'.length) };
    expect(prepareEntry({ ...entry, metadata: fits }).metadata).toBe(JSON.stringify(fits));
    const large = { big: "x".repeat(16 * 1024), list: [1], slug: "a", count: 3 };
    expect(prepareEntry({ ...entry, metadata: large }).metadata).toBe('{"count":3,"slug":"a","truncated":true}');
  });

  test("never throws for metadata without a canonical form", () => {
    const metadata = { when: new Date(0), bad: Number.NaN, lone: "\ud800", slug: "a" };
    expect(prepareEntry({ ...entry, metadata }).metadata).toBe('{"slug":"a","truncated":true}');
  });

  test("has at most 16 KiB of metadata for any input", () => {
    const values = fc.oneof(fc.string({ maxLength: 9000 }), fc.integer(), fc.constant(null), fc.array(fc.string()));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values, { maxKeys: 12 }), (metadata) => {
        const text = prepareEntry({ ...entry, metadata }).metadata;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
        expect(JSON.parse(text)).toBeTypeOf("object");
      }),
    );
  });
});
