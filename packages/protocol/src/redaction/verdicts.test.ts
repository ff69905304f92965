import { redactionVerdicts } from "@svc/testkit/redaction-verdicts";
import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { createRedactor } from "./redactor.ts";

const { redact } = createRedactor();
const { given, expected, size } = redactionVerdicts;

test("the table of verdicts holds at least 200 keys and values, none twice", () => {
  expect(size).toBeGreaterThanOrEqual(200);
  for (const part of [given.keys, given.values])
    expect(new Set(part.map((entry) => JSON.stringify(entry))).size).toBe(part.length);
});

test.each(given.keys.map((entry, index) => [entry, expected.keys[index]]))("%j becomes %j", (entry, verdict) => {
  expect(redact(entry)).toEqual(verdict);
});

test.each(given.values.map((value, index) => [value, expected.values[index]]))("%j becomes %j", (value, verdict) => {
  expect(redact(value)).toEqual(verdict);
});

test.each(given.counts.map((entry, index) => [entry, expected.counts[index]]))("%j becomes %j", (entry, verdict) => {
  expect(redact(entry)).toEqual(verdict);
});

test("card numbers that are kept by their digits, or given as big integers, are masked like others", () => {
  const text = '{"a":4000000000000000006,"b":4000000000000000007,"c":4000000000000000006.5,"d":6212345678900000003}';
  expect(JSON.stringify(redact(parseJson(text)))).toBe(
    '{"a":"[REDACTED]","b":4000000000000000007,"c":4000000000000000006.5,"d":"[REDACTED]"}',
  );
  expect(redact([4_000_000_000_000_000_006n])).toEqual(["[REDACTED]"]);
});
