import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { subjects } from "./cases/subjects.ts";

test("docs/internals/adapter-requirements.md lists exactly the existing cases, in the order in which they run", () => {
  const page = readFileSync(new URL("../../../docs/internals/adapter-requirements.md", import.meta.url), "utf8");
  const requirements = page.slice(page.indexOf("## What an adapter must fulfil"));
  const rows = requirements.split("\n").filter((line) => line.startsWith("### ") || /^\| (?!Case |---)/.test(line));
  const named = rows.map((line) => line.replace(/^(### |\| )/, "").replace(/ \|.*$/, ""));
  const capital = (title: string) => title.charAt(0).toUpperCase() + title.slice(1);
  const expected = subjects.flatMap(({ title, cases }) => [capital(title), ...cases.map(({ name }) => name)]);
  expect(named).toEqual(expected);
});

test("case names are unique", () => {
  const names = subjects.flatMap(({ cases }) => cases.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});
