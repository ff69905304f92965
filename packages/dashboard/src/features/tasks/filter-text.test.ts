import { describe, expect, test } from "vitest";
import { type Known, readTyped, suggestionsFor, tokenText } from "./filter-text.ts";

const known: Known = {
  queues: [
    { name: "search", engine: "bullmq" },
    { name: "emails", engine: "bullmq" },
  ],
  workers: [{ name: "mailer-1", engine: "bullmq" }],
  names: ["emails.send", "search.reindex"],
};

describe("readTyped", () => {
  test("takes a word with a key as a filter and everything else as text", () => {
    expect(readTyped("queue:emails", {})).toEqual({ patch: { queue: "emails" } });
    expect(readTyped("name:a:b", {})).toEqual({ patch: { name: "a:b" } });
    expect(readTyped("http://x", {})).toEqual({ patch: { search: "http://x" } });
  });

  test("adds a priority to those already chosen", () => {
    expect(readTyped("priority:high", { priority: "critical" })).toEqual({ patch: { priority: "critical,high" } });
  });

  test.each(["state:broken", "priority:urgent", "since:soon", "queue:"])("says what is wrong with %s", (typed) => {
    expect(readTyped(typed, {})).toHaveProperty("fault");
  });
});

describe("suggestionsFor", () => {
  test("offers the keys before anything is typed", () => {
    expect(suggestionsFor("", known, {})[0]).toMatchObject({ value: "queue:", effect: { typed: "queue:" } });
  });

  test("completes a value, those that begin with it first, and marks what was typed", () => {
    const found = suggestionsFor("queue:e", known, {});
    expect(found.map((one) => [one.value, one.at])).toEqual([
      ["emails", 0],
      ["search", 1],
    ]);
    expect(found[0]?.effect).toEqual({ patch: { queue: "emails" } });
  });

  test("finds values of several kinds for plain text", () => {
    const found = suggestionsFor("mail", known, {});
    expect(found.map((one) => one.detail)).toEqual(["queue, bullmq", "worker, bullmq", "name"]);
  });

  test("does not offer a priority twice", () => {
    const values = suggestionsFor("priority:", known, { priority: "high" }).map((one) => one.value);
    expect(values).toEqual(["critical", "normal", "low"]);
  });
});

test("tokenText reads like a sentence", () => {
  expect(tokenText("since", "-6h")).toBe("−6 h");
  expect(tokenText("priority", "high,low")).toBe("high, low");
});
