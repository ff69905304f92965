import { expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";

test("steps run in their own order, regardless of the order of the arguments", () => {
  expect(parseArguments(["browser", "unit"]).steps.map(({ name }) => name)).toEqual(["unit", "browser"]);
  expect(parseArguments([]).steps.length).toBeGreaterThan(10);
});

test("a run is limited to changes, or extended to everything", () => {
  expect(parseArguments(["--changed"])).toMatchObject({ changedSince: "HEAD", isEverything: false });
  expect(parseArguments(["--changed=HEAD~3", "--everything"])).toMatchObject({
    changedSince: "HEAD~3",
    isEverything: true,
  });
});

test.each([["units"], ["--change"], ["--changed="]])("%s is refused", (word) => {
  expect(() => parseArguments([word])).toThrow();
});
