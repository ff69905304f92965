import { describe, expect, test } from "vitest";
import { readExported } from "./exported.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const good = { name: "n", engine: "e", kind: "interval", expression: "5", task_name: "t" };
const read = (document: unknown) => readExported(JSON.stringify(document), now);

describe("readExported", () => {
  test("reads a list, or an object with one, and leaves out other fields", () => {
    const full = { ...good, name: "m", timezone: "Asia/Tokyo", queue: "q", priority: "high", catch_up: "skip", id: 5 };
    const { schedules, problems, notes } = read([{ ...good, queue: null }, full]);
    expect(problems).toEqual([]);
    expect(schedules).toEqual([
      { ...good, timezone: "UTC", args: [], kwargs: {} },
      { ...full, id: undefined, args: [], kwargs: {} },
    ]);
    expect(notes).toEqual([{ at: "m", text: "left out: id" }]);
    expect(read({ schedules: [good] }).schedules).toHaveLength(1);
  });

  test.each([
    [5, "it is not an object"],
    [{ ...good, kind: "yearly" }, "its kind is not one of cron, interval, clocked, solar"],
    [{ ...good, engine: 5 }, "it has no engine"],
    [{ ...good, queue: 5 }, "it has no queue"],
    [{ ...good, priority: "urgent" }, "its priority is not one of critical, high, normal, low"],
    [{ ...good, catch_up: "all" }, "its catch_up is not one of skip, fire_one_missed, fire_all_missed"],
    [{ ...good, overlap_policy: "all" }, "its overlap_policy is not one of allow, skip"],
    [{ ...good, long_run_seconds: 1.5 }, "its long_run_seconds is not a whole number"],
    [{ ...good, kwargs: { __svc_x: 1 } }, 'its kwargs have the reserved name "__svc_x"'],
    [{ ...good, args: {} }, "its args are not a list"],
    [{ ...good, kwargs: [] }, "its kwargs are not an object"],
    [{ ...good, is_enabled: "yes" }, "its is_enabled is not true or false"],
    [{ ...good, engine: "e".repeat(41) }, "its engine has more than 40 characters"],
  ])("refuses %j", (entry, text) => {
    const { schedules, problems } = read([entry]);
    expect({ schedules, problems }).toEqual({ schedules: [], problems: [{ at: expect.any(String), text }] });
  });

  test("refuses other documents", () => {
    expect(read({ schedules: {} }).problems).toEqual([
      { at: "the input", text: "it is neither a list of schedules nor an object with one" },
    ]);
  });
});
