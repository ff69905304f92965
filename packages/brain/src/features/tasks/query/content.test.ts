import { expect, test } from "vitest";
import { isSafe, safeRun } from "./content.ts";

test("lower case maps only ASCII and the two characters that a statement folds itself to safe characters", () => {
  for (let point = 0x80; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const lower = character.toLowerCase();
    if (lower === character || character === "\u212a" || character === "\u0130") continue;
    if ([...lower].some(isSafe)) throw new Error(`U+${point.toString(16)} becomes ${lower}`);
  }
});

test("the search uses the longest part without characters of another alphabet", () => {
  expect(safeRun("straße 12")).toBe("stra");
  expect(safeRun("日本語")).toBe("日本語");
  expect(safeRun("οδος")).toBe("");
});
