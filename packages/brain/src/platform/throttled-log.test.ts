import { createFakeClock } from "@svc/testkit";
import { expect, test } from "vitest";
import { createThrottledLog } from "./throttled-log.ts";

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
