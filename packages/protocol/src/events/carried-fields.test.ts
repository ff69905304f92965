import { describe, expect, test } from "vitest";
import { rawJson } from "../json/raw.ts";
import { taskKinds } from "../vocabulary.ts";
import { carriedFields } from "./carried-fields.ts";

const full = {
  task_name: "app.add",
  queue: "emails",
  worker: "w1",
  attempt: 1,
  priority: "high",
  args: [1],
  kwargs: { a: 1 },
  eta: "2026-01-02T03:04:05Z",
  parent_task_id: "p",
  root_task_id: "r",
  retried_from: "o",
  tags: ["a"],
  release: "1.2.3",
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  result: false,
  runtime_ms: 12.5,
  wait_ms: 3.2,
  max_attempts: 5,
  exception: "E",
  traceback: "T",
  retry_count: 2,
  depths: { emails: 3 },
  reason: "restart",
};
const always = [
  ...["task_name", "queue", "attempt", "priority", "args", "kwargs", "eta", "parent_task_id", "root_task_id"],
  ...["retried_from", "tags", "release", "traceparent", "max_attempts", "retry_count"],
];

describe("the fields that a kind carries", () => {
  test.each([
    ["task.sent", []],
    ["task.received", ["worker"]],
    ["task.started", ["worker", "wait_ms"]],
    ["task.retried", ["worker", "exception", "traceback"]],
    ["task.rejected", ["worker", "exception"]],
    ["task.revoked", ["worker"]],
    ["task.failed", ["worker", "runtime_ms", "exception", "traceback"]],
    ["task.succeeded", ["worker", "runtime_ms", "result"]],
  ])("%s", (kind, further) => {
    expect(Object.keys(carriedFields(kind, full, "t")).sort()).toEqual([...always, ...further].sort());
  });

  test.each([
    ["worker.offline", ["queue", "reason", "worker"]],
    ["worker.heartbeat", ["queue", "worker"]],
    ["queue.depth_report", ["depths", "queue"]],
    ["schedule.updated", ["queue", "reason"]],
    ["unknown", ["queue"]],
  ])("%s", (kind, expected) => {
    expect(Object.keys(carriedFields(kind, full, "")).sort()).toEqual(expected);
  });

  test("every task kind reads a result, false included, only from a success", () => {
    for (const kind of taskKinds) expect("result" in carriedFields(kind, full, "t")).toBe(kind === "task.succeeded");
    expect(carriedFields("task.succeeded", full, "t").result).toBe(false);
  });
});

describe("values", () => {
  test("are read as the table says", () => {
    expect(carriedFields("task.succeeded", full, "t")).toMatchObject({
      eta: Date.parse("2026-01-02T03:04:05Z"),
      runtime_ms: 13,
      attempt: 1,
    });
    expect(carriedFields("task.failed", { runtime_ms: 3e9 }, "t")).toEqual({ runtime_ms: 3_000_000_000 });
    expect(carriedFields("task.started", { wait_ms: rawJson("12.00000000000000000001") }, "t")).toEqual({
      wait_ms: 12,
    });
  });

  test.each([
    ["task_name", "x".repeat(501)],
    ["task_name", 1],
    ["queue", "x".repeat(201)],
    ["worker", {}],
    ["attempt", -1],
    ["attempt", 1.5],
    ["attempt", "1"],
    ["attempt", 1_000_001],
    ["attempt", rawJson("123456789012345678")],
    ["retry_count", 1_000_001],
    ["max_attempts", 0],
    ["priority", "urgent"],
    ["args", {}],
    ["kwargs", []],
    ["kwargs", rawJson("9007199254740993")],
    ["eta", "tomorrow"],
    ["parent_task_id", "t"],
    ["root_task_id", "x".repeat(201)],
    ["retried_from", "a\u0000"],
    ["tags", ["x".repeat(65)]],
    ["tags", Array(33).fill("a")],
    ["tags", ["a", 1]],
    ["release", "x".repeat(65)],
    ["traceparent", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"],
    ["traceparent", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    ["runtime_ms", -1],
    ["runtime_ms", Number.POSITIVE_INFINITY],
    ["runtime_ms", 2 ** 53],
    ["exception", ["E"]],
    ["result", null],
  ])("of %s that are invalid count as absent (%#)", (member, value) => {
    expect(carriedFields("task.failed", { [member]: value }, "t")).toEqual({});
    expect(carriedFields("task.succeeded", { [member]: value }, "t")).toEqual({});
  });

  test("cut an exception at 8192 characters, never inside one", () => {
    const text = "😀".repeat(9_000);
    expect(carriedFields("task.failed", { exception: text }, "t").exception).toBe("😀".repeat(8_192));
  });

  test("of depths keep the queues that can be read", () => {
    const depths = { a: 1, b: -1, c: "2", d: 2.5, [`e${"x".repeat(200)}`]: 1, f: 0 };
    expect(carriedFields("queue.depth_report", { depths }, "").depths).toEqual({ a: 1, f: 0 });
  });
});
