import { describe, expect, test } from "vitest";
import { type Entry, fitting, mayBeTaskId } from "./entries.ts";

const entry = (group: Entry["group"], label: string, also = ""): Entry => ({
  id: label,
  group,
  label,
  also,
  icon: "x",
  run: () => undefined,
});
const entries = [
  entry("Actions", "Dark theme", "appearance night"),
  entry("Pages", "Tasks", "jobs"),
  entry("Pages", "Agents"),
  entry("Projects", "Acme shop", "acme-shop production"),
  entry("Projects", "Stage", "acme-stage"),
];
const labels = (typed: string) => fitting(entries, typed).flatMap((one) => one.entries.map(({ label }) => label));

describe("the palette", () => {
  test("puts the group with the best entry first, and a task found by its id before all others", () => {
    const groupsOf = (typed: string, more: Entry[] = []) =>
      fitting([...more, ...entries], typed).map(({ group }) => group);
    expect(groupsOf("sta")).toEqual(["Projects"]);
    expect(groupsOf("a")).toEqual(["Pages", "Projects", "Actions"]);
    expect(groupsOf("dark")).toEqual(["Actions"]);
    expect(groupsOf("dark", [entry("Task with this id", "billing.charge")])).toEqual(["Task with this id", "Actions"]);
  });

  test("lists everything by group until something is typed", () => {
    expect(labels("")).toEqual(["Tasks", "Agents", "Acme shop", "Stage", "Dark theme"]);
  });

  test("matches every word, in label and search terms, ignoring case", () => {
    expect(labels("PROD acme")).toEqual(["Acme shop"]);
    expect(labels("night")).toEqual(["Dark theme"]);
    expect(labels("nothing")).toEqual([]);
  });

  test("puts prefix matches before other matches", () => {
    expect(labels("a").slice(0, 2)).toEqual(["Agents", "Tasks"]);
    expect(labels("acme")).toEqual(["Acme shop", "Stage"]);
  });

  test("limits the entries of a group", () => {
    const many = Array.from({ length: 30 }, (_, at) => entry("Projects", `shop ${at}`));
    expect(fitting(many, "shop")[0]?.entries).toHaveLength(8);
  });
});

describe("mayBeTaskId", () => {
  test.each([
    ["8a6f-11", true, true],
    ["bullmq/12", true, true],
    ["nightly-report", false, true],
    ["two words 1", false, false],
    ["", false, false],
  ])("%o: typed %o, pasted %o", (text, isTyped, isPasted) => {
    expect([mayBeTaskId(text, false), mayBeTaskId(text, true)]).toEqual([isTyped, isPasted]);
  });
});
