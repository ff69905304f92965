import type { SchedulerInfo } from "@svc/client";
import { expect, test } from "vitest";
import { lagText, schedulerName, schedulerState } from "./labels.ts";

const info = (given: Partial<SchedulerInfo> = {}): SchedulerInfo => ({
  version: "0.1.0",
  instance_id: "scheduler-1",
  leader: true,
  projects: 1,
  schedules: 6,
  watch_healthy: true,
  cadence_fingerprint: "svc-cadence/1;tzdb=2026a",
  oldest_due_seconds: 0,
  ...given,
});

test.each([
  [{}, "firing", "on time"],
  [{ oldest_due_seconds: 0.9 }, "firing", "on time"],
  [{ oldest_due_seconds: 8.14 }, "firing", "8.1 s"],
  [{ oldest_due_seconds: 73 }, "late", "1 min 13 s"],
  // A standby knows the slots, but does not fire them.
  [{ leader: false, oldest_due_seconds: 73 }, "standby", "–"],
] as const)("a scheduler that reports %o is %s, its lag: %s", (given, state, lag) => {
  const reported = { ok: true, info: info(given) };
  expect([schedulerState(reported), lagText(reported)]).toEqual([state, lag]);
});

test("an older scheduler that does not report its lag is firing", () => {
  const { oldest_due_seconds: _, ...older } = info();
  expect([schedulerState({ ok: true, info: older }), lagText({ info: older })]).toEqual(["firing", "not reported"]);
});

test("a scheduler without answer or without changes has failed, and keeps a name", () => {
  expect(schedulerState({ ok: false, info: null })).toBe("failed");
  expect(schedulerState({ ok: false, info: info({ watch_healthy: false }) })).toBe("failed");
  expect(lagText({ info: null })).toBe("–");
  expect(schedulerName({ info: null, url: "http://10.0.0.7:7800" })).toBe("http://10.0.0.7:7800");
  expect(schedulerName({ info: info(), url: "http://10.0.0.7:7800" })).toBe("scheduler-1");
});
