import type { TaskTreeNode } from "@svc/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskEvent } from "../../../../../test/traffic/task-rows.ts";
import { attemptsOf } from "../attempts/attempts.ts";
import { familyRows, foldedScale, runsOf, treeStep, visibleRows } from "./waterfall.ts";

const start = Date.parse("2026-11-20T10:00:00.000Z");
const instant = (second: number) => new Date(start + second * 1000).toISOString();

function node(id: string, parent: string | null, from: number, to: number | null, engine = "bullmq"): TaskTreeNode {
  return {
    engine,
    task_id: id,
    name: id,
    state: to === null ? "started" : "success",
    parent_task_id: parent,
    root_task_id: "root",
    received_at: instant(from),
    started_at: instant(from + 1),
    finished_at: to === null ? null : instant(to),
  };
}

describe("familyRows", () => {
  const nodes = [node("root", null, 0, 60), node("a", "root", 1, 10), node("b", "root", 2, 50), node("b1", "b", 3, 40)];

  test("puts each parent before its children and marks the current task", () => {
    const rows = familyRows(nodes, "bullmq", "b");
    expect(rows.map((row) => [row.node.task_id, row.depth, row.isThis])).toEqual([
      ["root", 0, false],
      ["a", 1, false],
      ["b", 1, true],
      ["b1", 2, false],
    ]);
  });

  test("separates tasks with the same id in different engines", () => {
    const family = [
      node("1", null, 0, 60, "celery"),
      node("2", "1", 1, 10, "bullmq"),
      node("2", "1", 2, 50, "celery"),
      node("3", "2", 3, 20, "celery"),
      node("4", "2", 4, 9, "bullmq"),
    ];
    const rows = familyRows(family, "celery", "2");
    expect(rows.map((row) => [row.node.engine, row.node.task_id, row.depth, row.isThis])).toEqual([
      ["celery", "1", 0, false],
      ["bullmq", "2", 1, false],
      ["bullmq", "4", 2, false],
      ["celery", "2", 1, true],
      ["celery", "3", 2, false],
    ]);
  });

  test("finds the chain that finished last", () => {
    const critical = familyRows(nodes, "bullmq", "b").filter((row) => row.isCritical);
    expect(critical.map((row) => row.node.task_id)).toEqual(["root", "b", "b1"]);
  });

  test("lists every task once, also with missing or cyclic parents", () => {
    const anyParent = fc.option(fc.constantFrom("t0", "t1", "t2", "t3", "missing"), { nil: null });
    fc.assert(
      fc.property(fc.array(anyParent, { minLength: 1, maxLength: 4 }), (parents) => {
        const family = parents.map((parent, index) => node(`t${index}`, parent, index, index + 5));
        const rows = familyRows(family, "bullmq", "t0");
        expect(rows.map((row) => row.node.task_id).sort()).toEqual(family.map((one) => one.task_id).sort());
      }),
    );
  });
});

describe("keyboard navigation in the tree", () => {
  const rows = familyRows(
    [node("root", null, 0, 60), node("a", "root", 1, 10), node("a1", "a", 2, 9), node("b", "root", 3, 40)],
    "bullmq",
    "b",
  );
  const keyOf = (id: string) => `bullmq ${id}`;
  const folded = (...ids: string[]) => new Set(ids.map(keyOf));
  const shown = (set: ReadonlySet<string>) => visibleRows(rows, set).map((row) => row.node.task_id);
  const step = (id: string, key: string, set: ReadonlySet<string> = new Set()) => {
    const visible = visibleRows(rows, set);
    const result = treeStep(
      visible,
      visible.findIndex((row) => row.key === keyOf(id)),
      key,
      set,
    );
    return result && Object.entries(result).map(([what, row]) => [what, row.node.task_id])[0];
  };

  test("hides everything below a collapsed task, but not what follows it", () => {
    expect(shown(folded("a"))).toEqual(["root", "a", "b"]);
    expect(shown(folded("root"))).toEqual(["root"]);
  });

  test("gives each task's position among its siblings", () => {
    expect(rows.map((row) => [row.node.task_id, row.place, row.siblings])).toEqual([
      ["root", 1, 1],
      ["a", 1, 2],
      ["a1", 1, 1],
      ["b", 2, 2],
    ]);
  });

  test.each([
    ["root", "ArrowDown", [], ["to", "a"]],
    ["a", "ArrowDown", ["a"], ["to", "b"]],
    ["b", "ArrowDown", [], ["to", "b"]],
    ["root", "ArrowUp", [], ["to", "root"]],
    ["a1", "Home", [], ["to", "root"]],
    ["root", "End", [], ["to", "b"]],
    ["a", "ArrowRight", ["a"], ["flip", "a"]],
    ["a", "ArrowRight", [], ["to", "a1"]],
    ["b", "ArrowRight", [], ["to", "b"]],
    ["a", "ArrowLeft", [], ["flip", "a"]],
    ["a1", "ArrowLeft", [], ["to", "a"]],
    ["b", "ArrowLeft", [], ["to", "root"]],
    ["b", "Enter", [], ["open", "b"]],
    ["b", "j", [], null],
  ])("on %s %s with %j collapsed does %j", (id, key, set, expected) => {
    expect(step(id, key, folded(...set))).toEqual(expected);
  });
});

test("only a task with several runs has separate bars", () => {
  const events = [
    taskEvent("task.started", 1, { attempt: 0 }),
    taskEvent("task.retried", 3, { attempt: 0 }),
    taskEvent("task.started", 5, { attempt: 1 }),
  ];
  const spans = (count: number) =>
    runsOf(attemptsOf(events.slice(0, count)), start + 9_000).map((run) => [
      run.fromMs - start,
      run.toMs - start,
      run.state,
    ]);
  expect(spans(2)).toEqual([]);
  expect(spans(3)).toEqual([
    [1_000, 3_000, "retry"],
    [5_000, 9_000, "started"],
  ]);
});

describe("foldedScale", () => {
  test("collapses idle gaps of more than a fifth, and nothing else", () => {
    const rows = familyRows([node("root", null, 0, 10), node("late", "root", 100, 110)], "bullmq", "root");
    const scale = foldedScale(rows, start + 110_000);
    expect(scale.breaks).toHaveLength(1);
    expect(scale.at(start + 10_000)).toBeGreaterThan(40);
    expect(scale.at(start)).toBe(0);
    expect(scale.at(start + 110_000)).toBeCloseTo(100);
  });

  test("is monotonic", () => {
    const rows = familyRows(
      [node("root", null, 0, 10), node("a", "root", 100, 120), node("b", "root", 300, 301)],
      "bullmq",
      "root",
    );
    const scale = foldedScale(rows, start + 301_000);
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 320 }), fc.integer({ min: 0, max: 320 }), (from, more) => {
        expect(scale.at(start + (from + more) * 1000)).toBeGreaterThanOrEqual(scale.at(start + from * 1000));
      }),
    );
  });

  test("exists for a task that only waited", () => {
    const waiting = { ...node("root", null, 0, null), started_at: null };
    const scale = foldedScale(familyRows([waiting], "bullmq", "root"), start + 5000);
    expect(scale.at(start)).toBe(0);
  });
});
