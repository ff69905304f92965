import { beforeEach, describe, expect, test } from "vitest";
import { createReplayGuard, type ReplayGuard } from "./replay-guard.ts";

let wallMs: number;
let monotonic: number;
let guard: ReplayGuard;

beforeEach(() => {
  wallMs = Date.parse("2026-01-02T03:04:05.000Z");
  monotonic = 0;
  guard = createReplayGuard({ now: () => new Date(wallMs), monotonicMs: () => monotonic });
});

const at = (offsetMs: number) => new Date(wallMs + offsetMs).toISOString();
const frame = (seq: number, nonce = `n${seq}`, offsetMs = 0) => ({ seq, nonce, ts: at(offsetMs) });

describe("the replay guard", () => {
  test("admits rising numbers, gaps included", () => {
    expect([1, 2, 7].map((seq) => guard.admit(frame(seq)))).toEqual(["ok", "ok", "ok"]);
  });

  test("refuses a number that does not rise", () => {
    guard.admit(frame(5));
    expect(guard.admit(frame(5, "other"))).toBe("seq");
    expect(guard.admit(frame(4, "another"))).toBe("seq");
  });

  test("accepts a time within 60 s in either direction and refuses beyond", () => {
    expect(guard.admit(frame(1, "a", -60_000))).toBe("ok");
    expect(guard.admit(frame(2, "b", 60_000))).toBe("ok");
    expect(guard.admit(frame(3, "c", -60_001))).toBe("time");
    expect(guard.admit(frame(3, "d", 60_001))).toBe("time");
  });

  test("refuses a time without zone or without sense", () => {
    expect(guard.admit({ seq: 1, nonce: "a", ts: "2026-01-02T03:04:05.000" })).toBe("time");
    expect(guard.admit({ seq: 1, nonce: "a", ts: "now" })).toBe("time");
  });

  test("refuses a nonce for 180 s after its acceptance, whatever the wall clock does", () => {
    guard.admit(frame(1, "again"));
    monotonic = 180_000;
    wallMs += 86_400_000;
    expect(guard.admit(frame(2, "again"))).toBe("nonce");
    monotonic = 180_001;
    expect(guard.admit(frame(2, "again"))).toBe("ok");
  });

  test("changes nothing when any check fails", () => {
    guard.admit(frame(1, "seen"));
    expect(guard.admit(frame(9, "seen"))).toBe("nonce");
    expect(guard.admit(frame(9, "fresh", 120_000))).toBe("time");
    expect(guard.admit(frame(2, "fresh"))).toBe("ok");
  });

  test.each([
    [{ nonce: "a", ts: "2026-01-02T03:04:05.000Z" }],
    [{ seq: 0, nonce: "a", ts: "2026-01-02T03:04:05.000Z" }],
    [{ seq: 1.5, nonce: "a", ts: "2026-01-02T03:04:05.000Z" }],
    [{ seq: 2 ** 53, nonce: "a", ts: "2026-01-02T03:04:05.000Z" }],
    [{ seq: 1, nonce: "a", ts: null }],
    [{ seq: 1, ts: "2026-01-02T03:04:05.000Z" }],
    [{ seq: 1, nonce: "", ts: "2026-01-02T03:04:05.000Z" }],
    [{ seq: 1, nonce: "x".repeat(33), ts: "2026-01-02T03:04:05.000Z" }],
  ])("refuses %j as missing a part", (incomplete) => {
    expect(guard.admit(incomplete)).toBe("missing");
  });

  test("remembers 4096 nonces and drops the oldest first", () => {
    for (let seq = 1; seq <= 4_097; seq += 1) guard.admit(frame(seq));
    expect(guard.admit(frame(5_000, "n2"))).toBe("nonce");
    expect(guard.admit(frame(5_000, "n1"))).toBe("ok");
  });

  test("starts again at 1 after a probe of the legacy session, with the nonces kept", () => {
    guard.admit(frame(3, "seen"));
    guard.resetSeq();
    expect(guard.admit(frame(1, "seen"))).toBe("nonce");
    expect(guard.admit(frame(1, "fresh"))).toBe("ok");
  });
});
