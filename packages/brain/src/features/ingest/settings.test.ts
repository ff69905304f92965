import { expect, test } from "vitest";
import { loadSettings } from "../../platform/settings.ts";
import { checkRedactionPatterns, ingestSettings } from "./settings.ts";

function faults(keys: string[], values: string[]): string[] {
  const found: string[] = [];
  checkRedactionPatterns(
    { SVC_REDACTION_EXTRA_KEY_PATTERNS: keys, SVC_REDACTION_EXTRA_VALUE_PATTERNS: values },
    (name, message) => found.push(`${name} ${message}`),
  );
  return found;
}

test("extra redaction patterns may be any fast ones", () => {
  expect(faults([], [])).toEqual([]);
  expect(faults(["acme_.*"], ["acme-[0-9]{4}"])).toEqual([]);
});

test("every bad extra redaction pattern is reported by number, without its text", () => {
  expect(faults(["fine", "(", ""], ["[z-a]", "(a+)+$"])).toEqual([
    "SVC_REDACTION_EXTRA_KEY_PATTERNS pattern 2 is invalid",
    "SVC_REDACTION_EXTRA_KEY_PATTERNS pattern 3 is empty",
    "SVC_REDACTION_EXTRA_VALUE_PATTERNS pattern 1 is invalid",
    "SVC_REDACTION_EXTRA_VALUE_PATTERNS pattern 2 takes too long",
  ]);
});

test("strings of event data may be cut at any length of at least 128 bytes", () => {
  const load = (SVC_MAX_PAYLOAD_SIZE_BYTES: string) =>
    loadSettings({ fragments: [ingestSettings], env: { SVC_MAX_PAYLOAD_SIZE_BYTES }, mint: false }).values;
  expect(load("128").SVC_MAX_PAYLOAD_SIZE_BYTES).toBe(128);
  expect(load("2097152").SVC_MAX_PAYLOAD_SIZE_BYTES).toBe(2_097_152);
  expect(() => load("127")).toThrow(/SVC_MAX_PAYLOAD_SIZE_BYTES/);
});
