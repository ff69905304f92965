import type { AgentStatusSample } from "@svc/client";
import { expect, test } from "vitest";
import { sampleLines, seenSessions } from "./samples.ts";

const start = Date.parse("2026-11-20T10:00:00.000Z");

/** A sample `second` seconds after the start. */
const sample = (second: number, payload: AgentStatusSample["payload"]): AgentStatusSample => ({
  id: second,
  captured_at: new Date(start + second * 1000).toISOString(),
  payload,
});

test("sampleLines are oldest first, with null where a sample has no value", () => {
  const [depth, oldest] = sampleLines([
    sample(20, { buffer_depth: 7 }),
    sample(10, {}),
    sample(0, { buffer_depth: 1 }),
  ]);
  expect(depth?.values).toEqual([1, null, 7]);
  expect(oldest?.values).toEqual([null, null, null]);
});

test("seenSessions separates connections by age, with the failures in between", () => {
  const sessions = seenSessions(
    [
      sample(0, { current_session_age_seconds: 100, connection_failure_streak: 0 }),
      sample(10, { current_session_age_seconds: 110, connection_failure_streak: 0 }),
      sample(40, { connection_failure_streak: 3 }),
      sample(50, { current_session_age_seconds: 2, connection_failure_streak: 0 }),
      sample(60, { current_session_age_seconds: 13 }),
    ].reverse(),
  );
  expect(sessions).toEqual([
    { startedMs: start + 48_000, lastMs: start + 60_000, failedBefore: 3 },
    { startedMs: start - 100_000, lastMs: start + 10_000, failedBefore: null },
  ]);
  expect(seenSessions([])).toEqual([]);
});

test("seenSessions separates connections in quick succession by the agent's connect time", () => {
  const sampleAt = (second: number, age: number, connectedAt: string) =>
    sample(second, { current_session_age_seconds: age, last_successful_connect_at: connectedAt });
  const sessions = seenSessions([
    sampleAt(13, 12, "2026-11-20T10:00:01.200Z"),
    sampleAt(1, 0, "2026-11-20T10:00:01.200Z"),
    sampleAt(0, 0, "2026-11-20T10:00:00.000Z"),
  ]);
  expect(sessions).toEqual([
    { startedMs: start + 1000, lastMs: start + 13_000, failedBefore: null },
    { startedMs: start, lastMs: start, failedBefore: null },
  ]);
});
