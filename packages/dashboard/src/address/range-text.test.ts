import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundsOf, instantRange, keepRange, rangeLabel, rangeParams, refusedBounds, stepMsOf } from "./range-bounds.ts";
import { readRange, timeOf } from "./range-text.ts";

const now = Date.parse("2026-11-20T12:00:07Z");
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

describe("a time in the URL", () => {
  test("is an age or an instant; an instant without zone is UTC", () => {
    expect(iso(timeOf("-90m", now))).toBe("2026-11-20T10:30:07.000Z");
    expect(timeOf("2026-11-20T10:00:00", now)).toBe(Date.parse("2026-11-20T10:00:00Z"));
  });

  test("is dropped when invalid", () => {
    expect(readRange({ since: "yesterday", until: "2026-13-40", task: "a/b" })).toEqual({});
    expect(readRange({ since: "-2d", until: "2026-11-20" }, now)).toEqual({ since: "-2d", until: "2026-11-20" });
  });
});

describe("a range in the URL", () => {
  test("keeps its end, and drops a start that is not before it, or not before now", () => {
    const until = "2026-11-20T10:00:00Z";
    expect(readRange({ since: "2026-11-20T11:00:00Z", until }, now)).toEqual({ until });
    expect(readRange({ since: until, until }, now)).toEqual({ until });
    expect(readRange({ since: "-1h", until: "-2h" }, now)).toEqual({ until: "-2h" });
    expect(readRange({ since: "2026-11-20T12:00:08Z" }, now)).toEqual({});
    expect(readRange({ since: "2026-11-20T12:00:06Z" }, now)).toEqual({ since: "2026-11-20T12:00:06Z" });
  });

  test("has bounds and a label for any URL", () => {
    const time = fc.oneof(
      fc.record({ n: fc.nat(500), unit: fc.constantFrom("m", "h", "d") }).map(({ n, unit }) => `-${n}${unit}`),
      fc.integer({ min: -30, max: 30 }).map((days) => new Date(now + days * 86_400_000).toISOString()),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(time, time, (since, until) => {
        const range = readRange({ since, until }, now);
        const { sinceMs, untilMs } = boundsOf(range, "all", now);
        expect(sinceMs === null).toBe(range.since === undefined);
        if (sinceMs !== null) expect(sinceMs).toBeLessThan(untilMs);
      }),
    );
  });

  test("reports what it drops", () => {
    expect(refusedBounds({ since: "2027-01-01", until: "soon", colour: "red" }, now)).toEqual(["since", "until"]);
    expect(refusedBounds({ since: "-1h", until: "" }, now)).toEqual([]);
  });
});

describe("boundsOf", () => {
  test("is the last day on pages with figures, and everything on a list", () => {
    const day = boundsOf({}, "-24h", now);
    expect([iso(day.sinceMs), iso(day.untilMs), day.isOpen]).toEqual([
      "2026-11-19T12:00:00.000Z",
      "2026-11-20T12:15:00.000Z",
      true,
    ]);
    expect(boundsOf({}, "all", now)).toMatchObject({ sinceMs: null, isOpen: true });
  });

  test("keeps instants unchanged", () => {
    const range = { since: "2026-11-20T10:00:00Z", until: "2026-11-20T10:07:00Z" };
    const { sinceMs, untilMs, isOpen } = boundsOf(range, "-24h", now);
    expect([iso(sinceMs), iso(untilMs), isOpen]).toEqual([
      "2026-11-20T10:00:00.000Z",
      "2026-11-20T10:07:00.000Z",
      false,
    ]);
  });

  test("starts a day before its end when figures need a start", () => {
    const { sinceMs } = boundsOf({ until: "2026-11-20T10:00:00Z" }, "-24h", now);
    expect(iso(sinceMs)).toBe("2026-11-19T10:00:00.000Z");
  });

  test("ignores a start after the end", () => {
    const range = { since: "2026-11-20T11:00:00Z", until: "2026-11-20T10:00:00Z" };
    expect(boundsOf(range, "all", now).sinceMs).toBeNull();
  });

  test("always contains the range, reaches at most a step further, and is stable within a step", () => {
    const anyAge = fc.record({ amount: fc.integer({ min: 1, max: 400 }), unit: fc.constantFrom("m", "h", "d") });
    fc.assert(
      fc.property(anyAge, fc.integer({ min: 1e12, max: 2e12 }), fc.nat(), ({ amount, unit }, at, later) => {
        const range = { since: `-${amount}${unit}` };
        const stepMs = stepMsOf(range, "-24h");
        const { sinceMs, untilMs } = boundsOf(range, "-24h", at);
        const wanted = timeOf(range.since, at);
        if (sinceMs === null) throw new Error("no start");
        expect(sinceMs).toBeLessThanOrEqual(wanted);
        expect(wanted - sinceMs).toBeLessThan(stepMs);
        expect(untilMs).toBeGreaterThan(at);
        expect(untilMs - at).toBeLessThanOrEqual(stepMs);
        const within = at - (at % stepMs) + (later % stepMs);
        expect(boundsOf(range, "-24h", within)).toEqual(boundsOf(range, "-24h", at));
      }),
    );
  });
});

describe("rangeLabel", () => {
  const print = (at: number) => new Date(at).toISOString().slice(0, 16);
  test.each([
    [{}, "-24h", "last 24 h"],
    [{}, "all", "all time"],
    [{ since: "-15m" }, "all", "last 15 min"],
    [{ since: "-6h" }, "all", "last 6 h"],
    [{ since: "-1d" }, "all", "last 1 day"],
    [{ since: "-3d" }, "all", "last 3 days"],
    [{ since: "2026-11-20T10:00:00Z" }, "all", "since 2026-11-20T10:00"],
    [{ until: "-5m" }, "all", "until 5 min ago"],
    [{ since: "2026-11-20T10:00:00Z", until: "2026-11-20T11:00:00Z" }, "-24h", "2026-11-20T10:00 to 2026-11-20T11:00"],
  ] as const)("labels %o with default %s", (range, fallback, label) => {
    expect(rangeLabel(range, fallback, print)).toBe(label);
  });
});

describe("rangeParams", () => {
  test("become the parameters of a request, without an end while the range is open", () => {
    const asked = (since: string, until?: string) =>
      rangeParams(boundsOf({ since, ...(until === undefined ? {} : { until }) }, "all", now));
    expect(asked("-15m")).toEqual({ since: "2026-11-20T11:45:00.000Z" });
    expect(asked("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z")).toEqual({
      since: "2026-11-20T10:00:00.000Z",
      until: "2026-11-20T11:00:00.000Z",
    });
    expect(rangeParams(boundsOf({}, "all", now))).toEqual({});
  });
});

describe("instantRange", () => {
  test("rounds outwards to whole seconds", () => {
    expect(instantRange(now + 400, now + 1400)).toEqual({
      since: "2026-11-20T12:00:07Z",
      until: "2026-11-20T12:00:09Z",
    });
  });
});

describe("keepRange", () => {
  const here = { pathname: "/p/acme/overview", range: { since: "-1h" } };
  test.each([
    ["/p/acme/tasks?state=failure", "/p/acme/tasks?state=failure&since=-1h"],
    ["/p/other/queues", "/p/other/queues?since=-1h"],
    ["/p/acme/tasks?since=-7d", "/p/acme/tasks?since=-7d"],
    ["/p/acme/tasks?until=-5m", "/p/acme/tasks?until=-5m"],
    ["/p/acme/overview?panel=x", "/p/acme/overview?panel=x"],
    ["/", "/"],
    ["/p/acme/tasks/bullmq/a%2Fb%3Fc", "/p/acme/tasks/bullmq/a%2Fb%3Fc?since=-1h"],
  ])("leads to %s", (href, kept) => {
    expect(keepRange(href, here)).toBe(kept);
  });

  test("is not added from a page outside projects", () => {
    expect(keepRange("/p/acme/tasks", { pathname: "/", range: { since: "-1h" } })).toBe("/p/acme/tasks");
  });
});
