import { describe, expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { readRecordHead } from "./record-head.ts";

const id = "3F0C7D1E-5B7A-4F0E-9D53-0F6A2F6A1B11";
const record = { id, kind: "task.started", engine: "bullmq", task_id: "42", occurred_at: "x", data: { queue: "q" } };

describe("readRecordHead", () => {
  test("reads the head of a record, the id in lower case", () => {
    expect(readRecordHead(record)).toEqual({
      verdict: "ok",
      head: {
        id: id.toLowerCase(),
        kind: "task.started",
        kindReceived: "task.started",
        engine: "bullmq",
        taskId: "42",
        occurredAt: "x",
        data: { queue: "q" },
      },
    });
  });

  test.each([
    [null],
    ["x"],
    [[record]],
    [parseJson("123456789012345678901234567890")],
    [{ ...record, engine: "" }],
    [{ ...record, engine: 1 }],
    [{ ...record, kind: null }],
  ])("ignores %j", (value) => {
    expect(readRecordHead(value)).toEqual({ verdict: "ignored" });
  });

  test.each([
    ["engine", "x".repeat(41)],
    ["engine", "a\u0007"],
    ["engine", "a\u0085"],
    ["task_id", "x".repeat(201)],
    ["task_id", "a\nb"],
    ["task_id", "\u007f"],
    ["task_id", 42],
  ])("drops a record whose %s is %j and says so without repeating it", (member, value) => {
    const read = readRecordHead({ ...record, [member]: value });
    expect(read).toMatchObject({ verdict: "dropped", reason: expect.stringContaining(member) });
  });

  test("counts characters, not UTF-16 units", () => {
    expect(readRecordHead({ ...record, task_id: "😀".repeat(200) }).verdict).toBe("ok");
    expect(readRecordHead({ ...record, task_id: "😀".repeat(201) }).verdict).toBe("dropped");
  });

  test("reads an absent task, an unusable id and data of another type as missing", () => {
    expect(
      readRecordHead({ kind: "queue.depth_report", engine: "e", id: "7", task_id: null, data: [1] }),
    ).toMatchObject({
      head: { id: null, taskId: "", data: {}, occurredAt: undefined },
    });
  });

  test("reads a number of many digits as missing data", () => {
    const long = parseJson("123456789012345678901234567890");
    expect(readRecordHead({ ...record, data: long })).toMatchObject({ head: { data: {} } });
    expect(Object.keys((readRecordHead({ ...record, data: long }) as { head: { data: object } }).head.data)).toEqual(
      [],
    );
  });

  test("keeps an unknown kind as received", () => {
    expect(readRecordHead({ ...record, kind: "task.paused" })).toMatchObject({
      head: { kind: "unknown", kindReceived: "task.paused" },
    });
  });
});
