import type { CompletenessGap } from "@svc/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spanText } from "../time/instants.ts";
import {
  chartGaps,
  gapGroups,
  gapsWithin,
  type LossGap,
  lostText,
  placeGaps,
  readGaps,
  whoText,
  whyText,
} from "./gaps.ts";

const gap = (fromMs: number, toMs: number, given: Partial<LossGap> = {}): LossGap => ({
  agentId: "a1",
  agentName: "media-2",
  fromMs,
  toMs,
  events: 31,
  otherFrames: 0,
  reason: "capacity",
  ...given,
});

const list = (received: readonly number[], hasOlder = false) => ({
  receivedMs: (index: number) => received[index] ?? Number.NaN,
  rowCount: received.length,
  hasOlder,
});

describe("placeGaps", () => {
  test("puts a band between newer and older rows", () => {
    const placed = placeGaps([gap(40, 55)], list([90, 60, 50, 10]));
    expect([...placed.keys()]).toEqual([2]);
  });

  test("merges the gaps between the same two rows into one band", () => {
    const placed = placeGaps([gap(52, 55), gap(51, 53, { agentId: "a2", events: 4 })], list([60, 50]));
    const group = placed.get(1);
    expect(group).toMatchObject({ fromMs: 51, toMs: 55 });
    expect(group && lostText(group)).toBe("35 events lost");
    expect(group && whoText(group)).toBe("2 agents");
  });

  test("omits a gap that may belong between rows that are not loaded yet", () => {
    expect(placeGaps([gap(1, 2)], list([60, 50], true)).size).toBe(0);
    expect([...placeGaps([gap(1, 2)], list([60, 50])).keys()]).toEqual([2]);
  });

  test("never puts a newer row below a band nor an older one above it", () => {
    const instants = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(instants, instants, (received, ends) => {
        const rows = received.toSorted((a, b) => b - a);
        const gaps = ends.map((end) => gap(Math.max(0, end - 5), end));
        const placed = placeGaps(gaps, list(rows));
        expect([...placed.values()].flatMap((group) => group.gaps).length).toBe(gaps.length);
        for (const [place, group] of placed) {
          for (const { toMs } of group.gaps) {
            expect(rows.slice(0, place).every((at) => at > toMs)).toBe(true);
            expect(rows.slice(place).every((at) => at <= toMs)).toBe(true);
          }
        }
      }),
    );
  });
});

describe("chartGaps", () => {
  test("merges overlapping gaps, clips them to the chart and labels them", () => {
    const gaps = [gap(90, 300), gap(20, 40), gap(30, 50, { reason: "adapter", agentId: "a2" })];
    expect(chartGaps(gaps, { fromMs: 25, toMs: 200 })).toEqual([
      { fromMs: 25, toMs: 50, label: "62 events lost, 2 agents, lost before the buffer or buffer full" },
      { fromMs: 90, toMs: 200, label: "31 events lost, agent media-2, buffer full" },
    ]);
  });

  test("merges gaps closer than `joinMs`", () => {
    expect(chartGaps([gap(10, 20), gap(25, 30)], { fromMs: 0, toMs: 100, joinMs: 5 })).toHaveLength(1);
    expect(chartGaps([gap(10, 20), gap(25, 30)], { fromMs: 0, toMs: 100, joinMs: 4 })).toHaveLength(2);
  });

  test("covers every moment of every gap inside the chart, in bands that do not touch", () => {
    const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 80 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(spans, (made) => {
        const gaps = made.map(([from, length]) => gap(from, from + length));
        const bands = chartGaps(gaps, { fromMs: 100, toMs: 400 });
        for (const one of gapsWithin(gaps, 100, 400)) {
          const from = Math.max(100, one.fromMs);
          const to = Math.min(400, one.toMs);
          expect(bands.some((band) => band.fromMs <= from && to <= band.toMs)).toBe(true);
        }
        for (const [at, band] of bands.entries()) {
          expect(band.fromMs).toBeGreaterThan(bands[at - 1]?.toMs ?? -1);
        }
      }),
    );
  });
});

describe("the text of a gap", () => {
  test("lists events and other frames separately, never as one number", () => {
    expect(lostText({ gaps: [gap(0, 1, { events: 1, otherFrames: 2 })] })).toBe("1 event and 2 other frames lost");
    expect(lostText({ gaps: [gap(0, 1, { events: 0, otherFrames: 1 })] })).toBe("1 other frame lost");
  });

  test("lists each reason once", () => {
    expect(whyText({ gaps: [gap(0, 1), gap(2, 3), gap(4, 5, { reason: "content" })] })).toBe(
      "buffer full or content refused",
    );
  });

  test("omits today's date", () => {
    const at = (text: string) => Date.parse(`2026-11-${text}Z`);
    const now = at("20T18:00:00");
    expect(spanText(at("20T17:37:31"), at("20T17:37:45"), "UTC", now)).toBe("17:37:31 to 17:37:45");
    expect(spanText(at("20T17:37:31"), at("20T17:37:31"), "UTC", now)).toBe("17:37:31");
    expect(spanText(at("19T17:37:31"), at("19T17:37:45"), "UTC", now)).toBe("2026-11-19 17:37:31 to 17:37:45");
    expect(spanText(at("19T23:59:00"), at("20T00:01:00"), "UTC", now)).toBe(
      "2026-11-19 23:59:00 to 2026-11-20 00:01:00",
    );
  });
});

describe("readGaps", () => {
  const lossOf = (from: string, to: string): CompletenessGap => ({
    agent_id: "a1",
    agent_name: "media-2",
    from: `2026-11-20T${from}Z`,
    to: `2026-11-20T${to}Z`,
    event_records: 3,
    other_frames: 1,
    reason: "content",
  });

  test("sorts by newest end and drops invalid ranges", () => {
    const gaps = readGaps([
      lossOf("10:00:00", "10:01:00"),
      lossOf("11:00:00", "11:02:00"),
      lossOf("12:00:00", "nonsense"),
    ]);
    expect(gaps.map(({ toMs }) => new Date(toMs).toISOString())).toEqual([
      "2026-11-20T11:02:00.000Z",
      "2026-11-20T10:01:00.000Z",
    ]);
    expect(gaps[0]).toMatchObject({ agentId: "a1", events: 3, otherFrames: 1, reason: "content" });
  });
});

test("gapGroups merges losses that are close together, newest first", () => {
  const groups = gapGroups([gap(0, 10), gap(15, 20), gap(100, 110)], 5);
  expect(groups.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [100, 110],
    [0, 20],
  ]);
});
