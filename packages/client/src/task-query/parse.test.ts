import { anyCharacter } from "@svc/testkit/any-character";
import { growthOfReader } from "@svc/testkit/expressions";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isNumberText,
  type JsonTest,
  type NumberTest,
  type Order,
  type PathStep,
  queryFields,
  queryLimits,
  type TaskQuery,
  type Term,
  type TextTest,
} from "./language.ts";
import { parseTaskQuery } from "./parse.ts";
import { printTaskQuery } from "./print.ts";

const termsOf = (text: string): TaskQuery => {
  const { query, faults } = parseTaskQuery(text);
  expect(faults).toEqual([]);
  return query;
};
const faultOf = (text: string) => parseTaskQuery(text).faults[0];
const plain = { isNegated: false } as const;

describe("a query", () => {
  test("is empty for white space", () => {
    expect(termsOf(" \t\n ")).toEqual([]);
  });

  test("contains bare words and phrases, which a minus negates", () => {
    expect(termsOf(`timeout "timed out" -mail -"a b" - App::Mail https://a.b/c 12:30 100%,*`)).toEqual([
      { ...plain, kind: "text", field: "words", texts: ["timeout"] },
      { ...plain, kind: "text", field: "words", texts: ["timed out"] },
      { kind: "text", field: "words", texts: ["mail"], isNegated: true },
      { kind: "text", field: "words", texts: ["a b"], isNegated: true },
      { ...plain, kind: "text", field: "words", texts: ["-"] },
      { ...plain, kind: "text", field: "words", texts: ["App::Mail"] },
      { ...plain, kind: "text", field: "words", texts: ["https://a.b/c"] },
      { ...plain, kind: "text", field: "words", texts: ["12:30"] },
      { ...plain, kind: "text", field: "words", texts: ["100%,*"] },
    ]);
  });

  test.each<[string, Term]>([
    ["state:failure,retry", { ...plain, kind: "choice", field: "state", values: ["failure", "retry"] }],
    [
      `fingerprint:${"0aB1".repeat(8)}`,
      { ...plain, kind: "label", field: "fingerprint", tests: [{ kind: "is", text: "0ab1".repeat(8) }] },
    ],
    ["State:FAILURE", { ...plain, kind: "choice", field: "state", values: ["failure"] }],
    [
      "waiting:>5m",
      { ...plain, kind: "number", field: "waiting", tests: [{ kind: "order", order: ">", value: 300_000 }] },
    ],
    ["-queue:mail", { kind: "label", field: "queue", tests: [{ kind: "is", text: "mail" }], isNegated: true }],
    ["name:billing.*", { ...plain, kind: "label", field: "name", tests: [{ kind: "like", parts: ["billing.", ""] }] }],
    [`name:"a *"*b`, { ...plain, kind: "label", field: "name", tests: [{ kind: "like", parts: ["a *", "b"] }] }],
    ["name:a\\*b", { ...plain, kind: "label", field: "name", tests: [{ kind: "is", text: "a*b" }] }],
    ["name:a..b", { ...plain, kind: "label", field: "name", tests: [{ kind: "is", text: "a..b" }] }],
    [`queue:""`, { ...plain, kind: "label", field: "queue", tests: [{ kind: "is", text: "" }] }],
    [
      "runtime:>30s",
      { ...plain, kind: "number", field: "runtime", tests: [{ kind: "order", order: ">", value: 30_000 }] },
    ],
    ["wait:<=1.5s", { ...plain, kind: "number", field: "wait", tests: [{ kind: "order", order: "<=", value: 1500 }] }],
    ["wait:0..2h", { ...plain, kind: "number", field: "wait", tests: [{ kind: "range", low: 0, high: 7_200_000 }] }],
    ["retries:3", { ...plain, kind: "number", field: "retries", tests: [{ kind: "is", value: 3 }] }],
    ["since:2h", { ...plain, kind: "bound", field: "since", moment: { kind: "ago", agoMs: 7_200_000 } }],
    [
      "until:2026-11-01T12:30:00+02:00",
      {
        ...plain,
        kind: "bound",
        field: "until",
        moment: { kind: "at", epochMs: Date.UTC(2026, 10, 1, 10, 30) },
      },
    ],
    [`error:"timed out",refused`, { ...plain, kind: "text", field: "error", texts: ["timed out", "refused"] }],
    ["args:4711", { ...plain, kind: "text", field: "args", texts: ["4711"] }],
    [
      "args.user.id:123",
      {
        ...plain,
        kind: "json",
        field: "args",
        path: ["user", "id"],
        tests: [{ kind: "is", text: "123", isText: false }],
      },
    ],
    [
      `kwargs."a.b"[0].1."1".c\\.d:"123",*,<5,1..2,a..b,>b`,
      {
        ...plain,
        kind: "json",
        field: "kwargs",
        path: ["a.b", 0, 1, "1", "c.d"],
        tests: [
          { kind: "is", text: "123", isText: true },
          { kind: "present" },
          { kind: "order", order: "<", operand: "5", isText: false },
          { kind: "range", low: "1", high: "2", isText: false },
          { kind: "range", low: "a", high: "b", isText: true },
          { kind: "order", order: ">", operand: "b", isText: true },
        ],
      },
    ],
  ])("parses %s", (text, term) => {
    expect(termsOf(text)).toEqual([term]);
  });

  test.each<[string, string, number, number]>([
    ["ok status:failure", "unknown_field", 3, 9],
    ["queue:", "no_value", 0, 6],
    ["queue:a,,b", "no_value", 0, 8],
    [`x "open`, "unclosed_quote", 2, 7],
    [`x ""`, "no_value", 2, 4],
    [`error:""`, "no_value", 6, 8],
    ["state:broken", "enum", 6, 12],
    ["runtime:30", "number", 8, 10],
    ["runtime:0.5ms", "number", 8, 13],
    ["runtime:2s..1s", "range", 8, 14],
    ["name:>x", "not_comparable", 5, 7],
    ["fingerprint:abc", "fingerprint", 12, 15],
    [`fingerprint:${"a".repeat(31)}*`, "fingerprint", 12, 44],
    ["args:>5", "not_comparable", 5, 7],
    ["name.x:1", "no_path", 0, 6],
    ["since:soon", "instant", 6, 10],
    ["since:2026-02-30", "instant", 6, 16],
    ["since:1h,2h", "too_many", 9, 11],
    ["-since:1h", "not_negatable", 0, 9],
    ["name:a*b*c*d*e*f*g", "too_many", 5, 18],
    ["a\0", "unstorable", 0, 2],
    ["args.\ud800:1", "unstorable", 0, 6],
  ])("refuses %j as %s at its place", (text, type, at, to) => {
    expect(faultOf(text)).toMatchObject({ type, at, to });
  });

  test("suggests the field of an alias, and repeats nothing of the text", () => {
    expect(faultOf("status:failure")?.message).toContain("Did you mean state:?");
    expect(faultOf("secret:1")?.message).not.toContain("secret");
  });

  test("has limits for characters, terms, values and path steps", () => {
    expect(faultOf("x".repeat(queryLimits.characters + 1))).toMatchObject({ type: "too_long" });
    expect(faultOf("x ".repeat(queryLimits.terms + 1))).toMatchObject({ type: "too_many", at: 40 });
    expect(
      faultOf(
        `queue:${Array(queryLimits.values + 1)
          .fill("a")
          .join(",")}`,
      ),
    ).toMatchObject({ type: "too_many" });
    expect(faultOf(`args${".a".repeat(queryLimits.pathSteps + 1)}:1`)).toMatchObject({ type: "too_many" });
    expect(faultOf("x ".repeat(queryLimits.terms))).toBeUndefined();
  });

  test("is split into tokens that cover everything except white space", () => {
    const text = `-args.a[0]:>5,"x y"  word`;
    const { tokens } = parseTaskQuery(text);
    expect(tokens.map(({ kind, from, to }) => [kind, text.slice(from, to)])).toEqual([
      ["negation", "-"],
      ["field", "args"],
      ["path", ".a[0]"],
      ["colon", ":"],
      ["operator", ">"],
      ["value", "5"],
      ["comma", ","],
      ["value", '"x y"'],
      ["text", "word"],
    ]);
  });

  test("every sample of the field table parses without a fault", () => {
    for (const { sample } of Object.values(queryFields)) expect(termsOf(sample)).toHaveLength(1);
  });
});

// Parts of random queries, so that they are more than bare words.
const scraps = fc.constantFrom(
  ...Object.keys(queryFields),
  ...[...' :.,-*"\\[]<>=0159'],
  "..",
  "args.a.b:",
  "state:failure",
  "30s",
  "2026-11-01",
  "é",
  "\u{1f600}",
  "\ud800",
  "\0",
);
const anyQuery = fc.array(scraps, { maxLength: 40 }).map((parts) => parts.join(""));
const storable = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((text) => text.replaceAll("\0", "?"));
const odd = fc.constantFrom('a"b', "a\\", "*", "..", "a.", "<5", "=1", "a,b", "a b", "-x", "12", "true", "1e5", "x:y");
const text = fc.oneof(storable, odd);

const parts = fc
  .tuple(fc.constantFrom("", "a", "a b."), fc.array(text, { maxLength: 3 }), fc.constantFrom("", ".b"))
  .map(([first, middle, last]) => [first, ...middle, last]);
const textTest: fc.Arbitrary<TextTest> = fc.oneof(
  fc.oneof(text, fc.constant("")).map((given) => ({ kind: "is", text: given }) as const),
  parts.map((given) => ({ kind: "like", parts: given }) as const),
);
const order = fc.constantFrom<Order>("<", "<=", ">", ">=");
const numberTest = (value: fc.Arbitrary<number>): fc.Arbitrary<NumberTest> =>
  fc.oneof(
    value.map((given) => ({ kind: "is", value: given }) as const),
    fc.tuple(order, value).map(([by, given]) => ({ kind: "order", order: by, value: given }) as const),
    fc.tuple(value, value).map(([a, b]) => ({ kind: "range", low: Math.min(a, b), high: Math.max(a, b) }) as const),
  );
const numberText = fc.oneof(fc.integer().map(String), fc.constantFrom("12345678901234567890", "-0.5", "1e300", "0"));
const jsonTest: fc.Arbitrary<JsonTest> = fc.oneof(
  fc.constant({ kind: "present" } as const),
  fc.oneof(text, numberText).map((given) => ({ kind: "is", text: given, isText: true }) as const),
  fc
    .oneof(numberText, fc.constantFrom("true", "null"))
    .map((given) => ({ kind: "is", text: given, isText: false }) as const),
  parts.map((given) => ({ kind: "like", parts: given }) as const),
  fc.tuple(order, text, numberText, fc.boolean()).map(([by, word, number, isText]): JsonTest => {
    const operand = isText ? word : number;
    return { kind: "order", order: by, operand, isText };
  }),
  fc.tuple(numberText, numberText).map(([low, high]) => ({ kind: "range", low, high, isText: false }) as const),
  fc.tuple(text, text).map(([low, high]) => ({ kind: "range", low, high, isText: true }) as const),
);
const some = <T>(values: fc.Arbitrary<T>) => fc.array(values, { minLength: 1, maxLength: 2 });
const step: fc.Arbitrary<PathStep> = fc.oneof(text, fc.nat(999_999), fc.constantFrom("", "0", "a.b", "[1]"));
const durationMs = fc.oneof(fc.integer({ min: 0, max: 100 * 86_400_000 }), fc.constantFrom(0, 60_000, 86_400_000));
const condition = fc.oneof(
  text.map((given) => ({ kind: "text", field: "words", texts: [given] }) as const),
  fc
    .tuple(fc.constantFrom("any", "error", "args", "kwargs", "result"), some(text))
    .map(([field, texts]) => ({ kind: "text", field, texts }) as const),
  some(fc.constantFrom("failure", "retry")).map((values) => ({ kind: "choice", field: "state", values }) as const),
  some(fc.constantFrom("high", "low")).map((values) => ({ kind: "choice", field: "priority", values }) as const),
  fc
    .tuple(fc.constantFrom("name", "queue", "worker", "engine", "id", "release", "tag"), some(textTest))
    .map(([field, tests]) => ({ kind: "label", field, tests }) as const),
  some(fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 32, maxLength: 32 })).map(
    (texts) =>
      ({ kind: "label", field: "fingerprint", tests: texts.map((given) => ({ kind: "is", text: given })) }) as const,
  ),
  fc
    .tuple(fc.constantFrom("runtime", "wait", "age"), some(numberTest(durationMs)))
    .map(([field, tests]) => ({ kind: "number", field, tests }) as const),
  some(numberTest(fc.nat())).map((tests) => ({ kind: "number", field: "retries", tests }) as const),
  fc
    .tuple(fc.constantFrom("args", "kwargs", "result"), fc.array(step, { minLength: 1, maxLength: 3 }), some(jsonTest))
    .map(([field, path, tests]) => ({ kind: "json", field, path, tests }) as const),
  fc.tuple(fc.constantFrom("since", "until"), fc.oneof(durationMs, fc.constant(null))).map(([field, agoMs]) => {
    const moment = agoMs === null ? { kind: "at", epochMs: 1_793_500_000_123 } : { kind: "ago", agoMs };
    return { kind: "bound", field, moment } as const;
  }),
);
const term = fc
  .tuple(condition, fc.boolean())
  .map(([given, isNegated]) => ({ ...given, isNegated: isNegated && given.kind !== "bound" }) as Term);

describe("any text", () => {
  test("parses without an exception, and its valid terms print to the same terms", () => {
    fc.assert(
      fc.property(fc.oneof(anyQuery, fc.string({ unit: anyCharacter, maxLength: 60 })), (given) => {
        const { query, tokens, faults } = parseTaskQuery(given);
        expect(termsOf(printTaskQuery(query))).toEqual(query);
        let end = 0;
        for (const { from, to } of tokens) {
          expect(given.slice(end, from).trim()).toBe("");
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(given.slice(end).trim()).toBe("");
        for (const { at, to } of faults) {
          expect(0 <= at && at < to && to <= given.length).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each([":", "::a", "//host", "/a", "a:b"])("is quoted after a field when it would end the field: %s", (text) => {
    const query: Term[] = [{ kind: "text", field: "any", texts: [text, " "], isNegated: false }];
    expect(termsOf(printTaskQuery(query))).toEqual(query);
  });

  test("printed from terms parses to the same terms", () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), (query) => {
        fc.pre(printTaskQuery(query).length <= queryLimits.characters);
        expect(termsOf(printTaskQuery(query))).toEqual(query);
      }),
      { numRuns: 1000 },
    );
  });

  test("is a number only if JSON accepts it", () => {
    for (const given of ["1", "-1.5", "1e10", "12345678901234567890"]) expect(isNumberText(given)).toBe(true);
    for (const given of ["01", "+1", ".5", "1.", "1e9999", "", "0x1"]) expect(isNumberText(given)).toBe(false);
  });
});

test("parsing takes linear time for every text", () => {
  const pumps = ["..", "*..", ".", '."', "[1]", "\\", "\\ ", "-", "--a ", "a:", "a,", "kwargs.a", "<", ':"', "..*"];
  for (const beginning of ["", "kwargs", "name:", 'kwargs."', "kwargs.a:1.."]) {
    expect(growthOfReader((text) => parseTaskQuery(beginning + text), pumps)).toMatchObject({ worst: null });
  }
});
