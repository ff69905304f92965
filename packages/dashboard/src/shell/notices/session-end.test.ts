import { expect, test } from "vitest";
import { sessionEnd } from "./session-end.ts";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

test.each([
  ["by the idle limit", { idle_expires_at: at(100), expires_at: at(900) }, { leftMs: 40_000, isIdleEnd: true }],
  ["however busy it is", { idle_expires_at: at(900), expires_at: at(100) }, { leftMs: 40_000, isIdleEnd: false }],
  ["without an idle limit", { idle_expires_at: null, expires_at: at(50) }, { leftMs: -10_000, isIdleEnd: false }],
])("a session ends %s", (_how, limits, end) => {
  expect(sessionEnd(limits, 60_000)).toEqual(end);
});
