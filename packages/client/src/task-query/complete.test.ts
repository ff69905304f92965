import { describe, expect, test } from "vitest";
import { completionAt, fieldTerm } from "./complete.ts";
import { parseTaskQuery } from "./parse.ts";

const at = (text: string) => completionAt(text.replace("|", ""), text.indexOf("|"));

describe("what is typed at the caret", () => {
  test.each([
    ["|", { kind: "field", from: 0, typed: "" }],
    ["queue:mail |", { kind: "field", from: 11, typed: "" }],
    ["queue:mail sta|", { kind: "field", from: 11, typed: "sta" }],
    ["-sta|te", { kind: "field", from: 1, typed: "sta", isNegated: true }],
    ["queue:|", { kind: "value", field: "queue", from: 6, typed: "" }],
    ["state:failure,re| x", { kind: "value", field: "state", from: 14, typed: "re" }],
    ["runtime:>3|", { kind: "value", field: "runtime", from: 9, typed: "3" }],
  ])("is %s", (text, expected) => {
    expect(at(text)).toMatchObject(expected);
  });

  test.each(['name:"a b|', "nothing:a|", "args.user.id:1|"])("cannot be completed in %s", (text) => {
    expect(at(text)).toBeNull();
  });
});

test("a term for one value parses to exactly this value", () => {
  for (const value of ["mail", "a b", 'say "hi"', "*", "<x", "a,b", "x\\y", "12..13", "-", ""]) {
    expect(parseTaskQuery(fieldTerm("queue", value, true)).query).toEqual([
      { kind: "label", field: "queue", tests: [{ kind: "is", text: value }], isNegated: true },
    ]);
  }
});
