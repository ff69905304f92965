import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { createThrottledLog, createThrottledLogPerSource } from "./throttled-log.ts";

function throttled(options?: { burst: number }) {
  const clock = createFakeClock();
  const lines: [number, unknown][] = [];
  const happened = createThrottledLog(clock, (times, { n }) => void lines.push([times, n]), options);
  return { clock, lines, happened };
}

test("a throttled log writes one line a minute, with the occurrences since the last one", () => {
  const { clock, lines, happened } = throttled();
  for (let n = 0; n < 500; n += 1) happened({ n });
  clock.advance(59_999);
  happened({ n: 500 });
  expect(lines).toEqual([[1, 0]]);
  clock.advance(1);
  happened({ n: 501 });
  expect(lines).toEqual([
    [1, 0],
    [501, 501],
  ]);
});

test("a throttled log with a burst writes that many lines a minute", () => {
  const { clock, lines, happened } = throttled({ burst: 3 });
  for (let n = 0; n < 5; n += 1) happened({ n });
  expect(lines).toEqual([
    [1, 0],
    [1, 1],
    [1, 2],
  ]);
  clock.advance(60_000);
  happened({ n: 5 });
  expect(lines.at(-1)).toEqual([3, 5]);
});

describe("a throttled log per source", () => {
  function perSource() {
    const clock = createFakeClock();
    const lines: [number, unknown, unknown][] = [];
    const write = createThrottledLogPerSource(clock, (times, { of, sources }) => void lines.push([times, of, sources]));
    const happened = (source: string, occurrences?: number) => write(source, { of: source }, occurrences);
    return { clock, lines, happened };
  }

  test("writes one line a minute for each, and returns whether it wrote", () => {
    const { clock, lines, happened } = perSource();
    expect([happened("a"), happened("a", 5), happened("b"), happened("a")]).toEqual([true, false, true, false]);
    clock.advance(60_000);
    happened("a");
    expect(lines).toEqual([
      [1, "a", undefined],
      [1, "b", undefined],
      [7, "a", undefined],
    ]);
  });

  test("writes one line a minute for all beyond twenty together", () => {
    const { clock, lines, happened } = perSource();
    for (let round = 0; round < 3; round += 1) for (let n = 0; n < 1000; n += 1) happened(`source ${n}`);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toEqual([1, "source 20", "several"]);
    clock.advance(59_999);
    happened("source 999");
    expect(lines).toHaveLength(21);
    clock.advance(1);
    // The first slot is free again: the two suppressed occurrences of its source are counted with the 2,940 of the others.
    happened("source 999");
    expect(lines.at(-1)).toEqual([1, "source 999", undefined]);
    for (let n = 1; n < 20; n += 1) happened(`source ${n}`);
    happened("source 0");
    expect(lines.at(-1)).toEqual([2943, "source 0", "several"]);
    expect(lines).toHaveLength(42);
  });

  test("keeps the slots of active sources", () => {
    const { clock, lines, happened } = perSource();
    for (let n = 0; n < 20; n += 1) happened(`source ${n}`);
    for (let minute = 0; minute < 3; minute += 1) {
      clock.advance(60_000);
      for (let n = 0; n < 20; n += 1) happened(`source ${n}`);
      for (let n = 20; n < 100; n += 1) happened(`source ${n}`);
    }
    expect(lines).toHaveLength(20 + 3 * 21);
  });
});
