import { describe, expect, test } from "vitest";
import { fingerprintOf } from "./fingerprint.ts";

const python = (user: string) =>
  [
    "Traceback (most recent call last):",
    `  File "/home/${user}/app/run.py", line 10, in run`,
    "    send()",
    `  File "/home/${user}/app/mail.py", line 44, in send`,
    "    raise ValueError",
  ].join("\n");

describe("the fingerprint of a failure", () => {
  test("is null when there is neither exception nor traceback", () => {
    expect([fingerprintOf(null, null), fingerprintOf("", "")]).toEqual([null, null]);
  });

  test("is 32 hex digits", () => {
    expect(fingerprintOf("boom", null)).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each([
    ["addresses", "at 0x7f10ab", "at 0xDEADBEEF"],
    ["UUIDs", "order 3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11", "order AF2D7FED-6386-5be5-909c-6abaefe2d57a"],
    ["object addresses", "<app.Job object at 0x7f>", "<app.Job object at 0x80ff>"],
    ["long numbers", "order 1000234 failed", "order 998877 failed"],
  ])("does not see different %s", (_, one, other) => {
    expect(fingerprintOf(one, null)).toBe(fingerprintOf(other, null));
  });

  test("sees numbers of fewer than four digits and numbers inside words", () => {
    expect(fingerprintOf("status 404", null)).not.toBe(fingerprintOf("status 500", null));
    expect(fingerprintOf("v1234x", null)).not.toBe(fingerprintOf("v5678x", null));
  });

  test("does not see the folders of source files, in either separator", () => {
    expect(fingerprintOf("E", python("ann"))).toBe(fingerprintOf("E", python("bob")));
    const unix = "Error\n    at send (/srv/app/mail.js:4:2)";
    const windows = "Error\n    at send (C:\\app\\mail.js:4:9)";
    expect(fingerprintOf("E", unix)).toBe(fingerprintOf("E", windows));
  });

  test("counts only the deepest five frames of each form", () => {
    const python = (outer: string) =>
      [outer, "a", "b", "c", "d", "e"].map((name, i) => `  File "x.py", line ${i}, in ${name}`).join("\n");
    expect(fingerprintOf("E", python("one"))).toBe(fingerprintOf("E", python("two")));
    const node = (outer: string) =>
      ["e", "d", "c", "b", "a", outer].map((name, i) => `    at ${name} (x.js:${i}:1)`).join("\n");
    expect(fingerprintOf("E", node("one"))).toBe(fingerprintOf("E", node("two")));
    expect(fingerprintOf("E", "    at x.js:1:1")).not.toBe(fingerprintOf("E", "    at x.js:2:1"));
  });

  test("takes the traceback's text when it holds no frames", () => {
    expect(fingerprintOf("E", "something odd")).not.toBe(fingerprintOf("E", "something else"));
    expect(fingerprintOf("E", `${"x".repeat(2000)}1`)).toBe(fingerprintOf("E", `${"x".repeat(2000)}2`));
  });

  test("takes the first bracket behind a name for the place, and only a place at the end of the line", () => {
    const frame = (line: string) => fingerprintOf("E", `Error\n${line}`);
    expect(frame("    at a (b) (/srv/x.js:1:2)")).toBe(frame("    at a (x.js:1:9)"));
    expect(frame("    at a (x.js:1:2) (y.js:3:4)")).toBe(frame("    at a (x.js:1:2) (y.js:3:9)"));
    expect(frame("    at a (x.js:1:2:3)")).toBe(frame("    at a (x.js:1:2:9)"));
    expect(frame(`    at a (${"folder/".repeat(1_000)}x.js:1:2)`)).toBe(frame("    at a (x.js:1:9)"));
    expect(frame("    at a (:1:2)")).not.toBe(frame("    at a (:1:9)"));
  });

  test("is found in linear time: text made to hurt it ends well within the bound of a test", () => {
    // A quadratic pattern would need some 10^10 steps for each of these.
    const half = 100_000;
    const fill = (body: string) => body.repeat(Math.ceil(half / body.length));
    const bodies = ["at ", " (", ":1", " (:1:", "1", "a", " ", '"', "<a.", "<a object at ", "\r", '", line 1'].map(
      fill,
    );
    for (const beginning of ["", "at ", "at f (", 'File "', 'File "x", line 1, in ', "0x", "<"]) {
      for (const first of bodies) {
        for (const second of bodies) {
          const text = `${beginning}${first}${second}!`;
          expect(fingerprintOf(text, text)).toMatch(/^[0-9a-f]{32}$/);
        }
      }
    }
  });
});
