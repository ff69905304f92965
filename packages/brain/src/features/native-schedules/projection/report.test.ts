import { describe, expect, test } from "vitest";
import { maxParts, maxSchedulesPerPart, readScheduleReport } from "./report.ts";

const head = {
  ...{ id: "00000000-0000-4000-8000-000000000001", projectId: "11111111-2222-4333-8444-555555555555" },
  ...{ engine: "bullmq", at: 1_767_323_045_000 },
};
const read = (kind: string, data: Record<string, unknown>) => readScheduleReport({ ...head, kind }, data);
const schedule = { name: "nightly", task_name: "mail", kind: "cron", expression: "0 6 * * *" };

describe("a schedule event", () => {
  test("gives the schedule with the defaults of what it leaves out", () => {
    expect(read("schedule.created", { schedule })).toEqual({
      problem: null,
      report: {
        projectId: head.projectId,
        owner: "bullmq",
        position: { epoch: 0, sequence: head.at, eventId: head.id },
        isSequenced: false,
        change: {
          kind: "upsert",
          schedule: {
            ...schedule,
            ...{ engine: "bullmq", timezone: "UTC", queue: null, priority: "normal", args: "[]", kwargs: "{}" },
            ...{ catch_up: "fire_one_missed", overlap_policy: "allow", is_enabled: true, external_id: null },
            ...{ source: "native", source_hash: null, last_run_at: null, next_run_at: null, total_runs: 0 },
            definition_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
          },
        },
      },
    });
  });

  test("gives all that it carries, and defaults for values of a wrong type", () => {
    const given = {
      ...schedule,
      ...{ engine: "celery", timezone: "Europe/Berlin", queue: "q", priority: "high", catch_up: "skip" },
      ...{
        overlap_policy: "skip",
        is_enabled: false,
        external_id: "x:1",
        source: "beat",
        source_hash: "h",
        total_runs: 7,
      },
    };
    const [last_run_at, next_run_at] = ["2026-01-02T03:04:05Z", "2026-01-03T03:04:05.25Z"];
    const full = { ...given, args: [1], kwargs: { a: "é" }, last_run_at, next_run_at };
    const stored = {
      args: "[1]",
      kwargs: '{"a":"é"}',
      last_run_at: Date.parse(last_run_at),
      next_run_at: Date.parse(next_run_at),
    };
    expect(read("schedule.updated", { schedule: full })?.report.change).toMatchObject({
      schedule: { ...given, ...stored },
    });
    const wrong = {
      engine: 1,
      timezone: "",
      queue: "q".repeat(201),
      priority: "urgent",
      args: {},
      kwargs: [],
      total_runs: -1,
    };
    expect(
      read("schedule.updated", { schedule: { ...schedule, ...wrong, next_run_at: "soon" } })?.report.change,
    ).toMatchObject({
      schedule: {
        engine: "bullmq",
        timezone: "UTC",
        queue: null,
        priority: "normal",
        args: "[]",
        kwargs: "{}",
        total_runs: 0,
        next_run_at: null,
      },
    });
  });

  test("names its scheduler and its position", () => {
    const { report } = read("schedule.deleted", {
      name: "a",
      scheduler: "redbeat",
      stream: { epoch: 5, sequence: 2 },
    })!;
    expect(report).toMatchObject({
      ...{ owner: "redbeat", isSequenced: true, change: { kind: "delete", name: "a" } },
      position: { epoch: 5, sequence: 2, eventId: head.id },
    });
  });

  test.each([[{ epoch: 1.5, sequence: 1 }], [{ epoch: 1 }], [{ epoch: "1", sequence: 1 }], [7]])(
    "with the stream %j has no position",
    (stream) => {
      expect(read("schedule.deleted", { name: "a", stream })?.report.isSequenced).toBe(false);
    },
  );

  test("of this service's own scheduler, or of another kind, is not mirrored", () => {
    expect(read("schedule.created", { schedule, scheduler: "svc-scheduler" })).toBeNull();
    expect(read("task.sent", { schedule })).toBeNull();
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["created", {}, "the schedule is missing"],
    ["created", { schedule: { ...schedule, name: "a\u0007" } }, "name"],
    ["created", { schedule: { ...schedule, name: "n".repeat(201) } }, "name"],
    ["created", { schedule: { ...schedule, task_name: "" } }, "task_name"],
    ["updated", { schedule: { ...schedule, expression: "1".repeat(1025) } }, "expression"],
    ["updated", { schedule: { ...schedule, kind: "lunar" } }, "kind"],
    ["updated", { schedule: { ...schedule, args: ["x".repeat(65_536)] } }, "64 KiB"],
    ["deleted", {}, "name"],
    ["snapshot", { part: 1, parts: 1, schedules: [] }, "snapshot_id"],
    ["snapshot", { snapshot_id: "s", part: 1, parts: maxParts + 1, schedules: [] }, "parts"],
    ["snapshot", { snapshot_id: "s", part: 3, parts: 2, schedules: [] }, "part"],
    ["snapshot", { snapshot_id: "s", part: 1, parts: 1, schedules: Array(maxSchedulesPerPart + 1) }, "schedules"],
    ["deleted", { name: "a", stream: { epoch: 0, sequence: 1 } }, "positive"],
  ])("schedule.%s with %o changes nothing and says why", (kind, data, problem) => {
    const found = read(`schedule.${kind}`, data);
    expect(found?.report.change).toEqual({ kind: "none" });
    expect(found?.problem).toContain(problem);
  });

  test("leaves out the schedules of a snapshot that cannot be read", () => {
    const found = read("schedule.snapshot", { snapshot_id: "s", part: 1, parts: 1, schedules: [schedule, {}, 7] });
    expect(found?.report.change).toMatchObject({ part: 1, parts: 1, schedules: [{ name: "nightly" }] });
    expect(found?.problem).toContain("2 schedules are left out");
  });
});
