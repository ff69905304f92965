import { createRedactor } from "@svc/protocol";
import { redactionVerdicts } from "@svc/testkit/redaction-verdicts";
import { describe, expect, test } from "vitest";
import { encodeEvent, isEventRecord } from "./encode.ts";

const nowMs = Date.parse("2026-01-02T03:04:05.000Z");
const options = { redactor: createRedactor(), release: undefined };

function encoded(event: Record<string, unknown>, release?: string): Record<string, unknown> {
  const record = { kind: "task.sent", engine: "e", task_id: "t", data: {}, ...event };
  return JSON.parse(encodeEvent(record, nowMs, { ...options, release })) as Record<string, unknown>;
}

describe("occurred_at", () => {
  test.each([
    ["2026-01-02T03:04:00.123Z", "2026-01-02T03:04:00.123Z"],
    ["2026-01-02T03:05:05.000Z", "2026-01-02T03:05:05.000Z"],
    ["2026-01-02T04:04:05+01:00", "2026-01-02T04:04:05+01:00"],
    ["2026-01-02T03:05:05.001Z", "2026-01-02T03:04:05.000Z"],
    ["2099-01-01T00:00:00Z", "2026-01-02T03:04:05.000Z"],
    ["yesterday", "2026-01-02T03:04:05.000Z"],
    [undefined, "2026-01-02T03:04:05.000Z"],
  ])("%s is sent as %s", (given, sent) => {
    expect(encoded({ occurred_at: given }).occurred_at).toBe(sent);
  });
});

test("keys are in canonical order and the id is kept", () => {
  const record = { id: "i", kind: "task.sent", engine: "e", task_id: "t", data: { b: 1, a: 2 } };
  expect(encodeEvent(record, nowMs, options)).toBe(
    '{"data":{"a":2,"b":1},"engine":"e","id":"i","kind":"task.sent","occurred_at":"2026-01-02T03:04:05.000Z","task_id":"t"}',
  );
});

test("secrets are redacted before the text exists", () => {
  expect(encoded({ data: { kwargs: { api_key: "abc" } } }).data).toEqual({ kwargs: { api_key: "[REDACTED]" } });
});

test("the shared table of keys and values gets the same verdicts as in the service", () => {
  const { given, expected } = redactionVerdicts;
  expect(encoded({ data: { kwargs: given } }).data).toEqual({ kwargs: expected });
});

test("names of tasks, queues and workers are sent unchanged", () => {
  const data = { task_name: "mail bob@example.org", queue: "bob@example.org", worker: "celery@host.example.org" };
  expect(encoded({ data }).data).toEqual(data);
});

test("an event survives a value that cannot be read", () => {
  const data = {
    queue: "mail",
    get result(): never {
      throw new Error("no");
    },
  };
  expect(encoded({ data }).data).toEqual({ queue: "mail", result: "[REDACTED]" });
});

test("lone surrogates in texts and keys become U+FFFD, and the event survives", () => {
  expect(encoded({ data: { "a\ud800": "b\udc00", list: ["\ud83d", "😀"] } }).data).toEqual({
    "a\ufffd": "b\ufffd",
    list: ["\ufffd", "😀"],
  });
});

describe("release", () => {
  test("is added to task events without one", () => {
    expect(encoded({}, "1.2.3").data).toEqual({ release: "1.2.3" });
    expect(encoded({ data: { release: "own" } }, "1.2.3").data).toEqual({ release: "own" });
    expect(encoded({ kind: "worker.online" }, "1.2.3").data).toEqual({});
  });

  test("does not change what the adapter handed over", () => {
    const data = { queue: "q" };
    encodeEvent({ kind: "task.sent", engine: "e", task_id: "t", data }, nowMs, { ...options, release: "1" });
    expect(data).toEqual({ queue: "q" });
  });
});

test.each([
  null,
  7,
  "x",
  {},
  { kind: "", engine: "e", task_id: "t", data: {} },
  { kind: "k", engine: "e", task_id: "t", data: [] },
])("%j is not an event record", (value) => {
  expect(isEventRecord(value)).toBe(false);
});
