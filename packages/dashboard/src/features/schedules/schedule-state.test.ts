import { describe, expect, test } from "vitest";
import { byUrgency, isShown, type ScheduleFacts, stateOf } from "./schedule-state.ts";

const own = (more: Partial<ScheduleFacts> = {}): ScheduleFacts => ({
  scheduler: "svc-scheduler",
  kind: "cron",
  is_enabled: true,
  paused_at: null,
  quarantined_at: null,
  consecutive_failures: 0,
  next_run_at: "2026-11-20T18:00:00Z",
  skipped_slots_24h: 0,
  total_runs: 3,
  ...more,
});

describe("a schedule is", () => {
  test.each([
    ["on", {}],
    ["on", { consecutive_failures: 7 }],
    ["paused", { paused_at: "2026-11-20T17:00:00Z" }],
    ["disabled", { is_enabled: false }],
    ["disabled", { is_enabled: false, consecutive_failures: 4 }],
    ["disabled", { is_enabled: false, consecutive_failures: null }],
    ["disabled", { is_enabled: false, kind: "clocked", total_runs: 0 }],
    ["finished", { is_enabled: false, kind: "clocked", total_runs: 1 }],
    ["tripped", { is_enabled: false, consecutive_failures: 5 }],
    ["quarantined", { is_enabled: false, consecutive_failures: 5, quarantined_at: "2026-11-20T17:00:00Z" }],
  ] as const)("%s: %j", (state, more) => {
    expect(stateOf(own(more), 5)).toBe(state);
  });

  test("never stopped by failures while the circuit breaker is off", () => {
    expect(stateOf(own({ is_enabled: false, consecutive_failures: 20 }), 0)).toBe("disabled");
  });
});

test("the choices of the list", () => {
  const rows = {
    fine: own(),
    tripped: own({ is_enabled: false, consecutive_failures: 5 }),
    quarantined: own({ quarantined_at: "2026-11-20T17:00:00Z" }),
    late: own({ skipped_slots_24h: 2 }),
    off: own({ is_enabled: false }),
    native: own({ scheduler: "bullmq", skipped_slots_24h: null }),
  };
  const shown = (choice: Parameters<typeof isShown>[2]) =>
    Object.entries(rows).flatMap(([name, row]) => (isShown(row, 5, choice) ? [name] : []));
  expect(shown(undefined)).toHaveLength(6);
  expect(shown("tripped")).toEqual(["tripped", "quarantined"]);
  expect(shown("missed")).toEqual(["late"]);
  expect(shown("off")).toEqual(["tripped", "quarantined", "off"]);
  expect(shown("native")).toEqual(["native"]);
});

test("stopped schedules come first, then the next runs, then those that are off", () => {
  const rows = [
    { name: "off", ...own({ is_enabled: false, next_run_at: null }) },
    { name: "later", ...own({ next_run_at: "2026-11-21T18:00:00Z" }) },
    { name: "never", ...own({ next_run_at: null }) },
    { name: "b", ...own() },
    { name: "a", ...own() },
    { name: "bad", ...own({ is_enabled: false, consecutive_failures: 5 }) },
  ];
  expect(byUrgency(rows, 5).map(({ name }) => name)).toEqual(["bad", "a", "b", "later", "never", "off"]);
});
