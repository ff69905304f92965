import { describe, expect, test } from "vitest";
import type { Known } from "./facets.ts";
import { defaultSuggestion, readTyped, suggestionsFor, wantedValues } from "./filter-text.ts";
import { tokenText } from "./filter-words.ts";

const known: Known = {
  queue: [
    { value: "search", count: "10k+" },
    { value: "emails", count: "412" },
  ],
  worker: [{ value: "mailer-1", count: "7" }],
  name: [
    { value: "emails.send", count: "9" },
    { value: "search.reindex", count: "3" },
  ],
  priority: [{ value: "low", count: "5" }],
};

describe("readTyped", () => {
  test("parses a word with a key as a filter and everything else as text", () => {
    expect(readTyped("queue:emails", {})).toEqual({ patch: { queue: "emails" } });
    expect(readTyped("name:a:b", {})).toEqual({ patch: { name: "a:b" } });
    expect(readTyped("http://x", {})).toEqual({ patch: { search: "http://x" } });
  });

  test("turns search-only syntax into a search term", () => {
    expect(readTyped("args.user.id:123", {})).toEqual({ patch: { q: "args.user.id:123" } });
    expect(readTyped("name:billing.*", { q: "tag:vip" })).toEqual({ patch: { q: "tag:vip name:billing.*" } });
    expect(readTyped("-queue:mail", {})).toEqual({ patch: { q: "-queue:mail" } });
    expect(readTyped("queue:mail runtime:>30s", {})).toEqual({ patch: { q: "queue:mail runtime:>30s" } });
    expect(readTyped("runtime:soon", {})).toHaveProperty("error");
    expect(readTyped("queue:two words", {})).toEqual({ patch: { queue: "two words" } });
    expect(readTyped("queue:mail customer:42", {})).toHaveProperty("error");
  });

  test("adds a priority to the selected ones", () => {
    expect(readTyped("priority:high", { priority: "critical" })).toEqual({ patch: { priority: "critical,high" } });
  });

  test("takes an age as in the query language, or with a minus as in addresses", () => {
    for (const typed of ["since:2h", "since:-2h"]) expect(readTyped(typed, {})).toEqual({ patch: { since: "-2h" } });
  });

  test.each(["state:broken", "priority:urgent", "since:soon", "queue:"])("explains why %s is invalid", (typed) => {
    expect(readTyped(typed, {})).toHaveProperty("error");
  });
});

describe("suggestionsFor", () => {
  test("offers the keys for empty input", () => {
    expect(suggestionsFor("", known, {})[0]).toMatchObject({ value: "queue:", effect: { typed: "queue:" } });
  });

  test("completes a value, prefixes first, and marks the typed part", () => {
    const found = suggestionsFor("queue:e", known, {});
    expect(found.map((one) => [one.value, one.at, one.count])).toEqual([
      ["emails", 0, "412"],
      ["search", 1, "10k+"],
    ]);
    expect(found[0]?.effect).toEqual({ patch: { queue: "emails" } });
  });

  test("puts an exact match before more frequent values", () => {
    const queue = ["mail-bulk", "bulk-mail", "mail"].map((value) => ({ value, count: "" }));
    const values = (typed: string) => suggestionsFor(typed, { queue }, {}).map((one) => one.value);
    expect(values("queue:mail")).toEqual(["mail", "mail-bulk", "bulk-mail"]);
    expect(values("-queue:mail")).toEqual(["mail", "mail-bulk", "bulk-mail"]);
  });

  test("finds values of several kinds for plain text", () => {
    const found = suggestionsFor("mail", known, {});
    expect(found.map((one) => [one.detail, one.value])).toEqual([
      ["queue", "emails"],
      ["worker", "mailer-1"],
      ["name", "emails.send"],
    ]);
  });

  test("completes search fields, and values of negated terms", () => {
    expect(suggestionsFor("arg", known, {})[0]).toMatchObject({ value: "args:", effect: { typed: "args:" } });
    expect(suggestionsFor("-queue:em", known, {}).map((one) => one.effect)).toEqual([
      { patch: { q: "-queue:emails" } },
    ]);
  });

  test("completes the paths of recent payloads, also after other terms", () => {
    const args = [
      { value: "region", count: "200+" },
      { value: "customer", count: "120+" },
    ];
    const found = (typed: string) =>
      suggestionsFor(typed, { args }, {}).map(({ value, count, effect }) => [value, count, effect]);
    expect(found("args.")).toEqual([
      ["region:", "200+", { typed: "args.region:" }],
      ["customer:", "120+", { typed: "args.customer:" }],
    ]);
    expect(found("state:failure -args.cus")).toEqual([
      ["customer:", "120+", { typed: "state:failure -args.customer:" }],
    ]);
    expect(found("args.customer:4")).toEqual([]);
  });

  test("offers an unknown key as a payload path, by default in the arguments", () => {
    const effects = (typed: string) =>
      suggestionsFor(typed, { result: [{ value: "total", count: "9" }] }, { q: "tag:vip" }).map(({ value, effect }) => [
        value,
        effect,
      ]);
    expect(effects("customer=42")).toEqual([["args.customer:42", { patch: { q: "tag:vip args.customer:42" } }]]);
    expect(effects("total:5")).toEqual([["result.total:5", { patch: { q: "tag:vip result.total:5" } }]]);
  });

  test("does not offer a priority twice", () => {
    const found = suggestionsFor("priority:", known, { priority: "high" }).map((one) => [one.value, one.count]);
    expect(found).toEqual([
      ["critical", undefined],
      ["normal", undefined],
      ["low", "5"],
    ]);
  });
});

test("Enter takes the first value, except for a typed part of a name", () => {
  expect(["queue:em", "-queue:em", "state:f", "args.cu"].map(defaultSuggestion)).toEqual([0, 0, 0, 0]);
  const typed = ["name:bill", "-name:bill", "mail", "", 'args."a:b":1', "customer:42", "customer=42"];
  expect(typed.map(defaultSuggestion)).toEqual(typed.map(() => -1));
});

test.each([
  ["queue:em", { fields: ["queue"], typed: "em" }],
  ["since:", { fields: [], typed: "" }],
  ["-worker:m", { fields: ["worker"], typed: "m" }],
  ["engine:", { fields: ["engine"], typed: "" }],
  ["state:failure args.cus", { fields: ["args"], typed: "cus" }],
  ["customer=42", { fields: ["args", "result"], typed: "" }],
  [" mail", { fields: ["name", "queue", "worker"], typed: "mail" }],
])("while %j is typed, the values of %j are worth reading", (typed, asked) => {
  expect(wantedValues(typed)).toEqual(asked);
});

test("tokenText is readable", () => {
  expect(tokenText("since", "-6h")).toBe("−6 h");
  expect(tokenText("priority", "high,low")).toBe("high, low");
});
