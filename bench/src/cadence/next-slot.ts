import { compileCadence } from "@svc/cadence";
import { medianOf } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";

/** The time for the next slot of a cron expression, in a zone with daylight saving, from instants at all times of a year. */
const expressions = [
  "* * * * *",
  "30 2 * * *",
  "0 9 * * MON-FRI",
  "0 0 L * *",
  "0 0 29 2 *",
  "15 3 1 1 *",
  "0 8 * * 1#1 30",
];
const targetMicros = 5;
const slots = { quick: 20_000, standard: 100_000, full: 500_000 };
/** A prime number of milliseconds, so that all times of day and year occur. */
const stepMs = 300_000_007;

function microsPerSlot(expression: string, count: number): number[] {
  const cadence = compileCadence({ kind: "cron", expression, timezone: "Europe/Berlin" });
  const first = Date.UTC(2026, 0, 1);
  const batch = 100;
  const took: number[] = [];
  for (let done = 0; done < count; done += batch) {
    const before = process.hrtime.bigint();
    for (let i = 0; i < batch; i += 1) cadence.next(first + (((done + i) * stepMs) % 31_536_000_000));
    took.push(Number(process.hrtime.bigint() - before) / 1000 / batch);
  }
  return took;
}

async function run({ mode }: BenchContext): Promise<BenchRow[]> {
  const medians = expressions.map((expression) => ({
    expression,
    micros: medianOf(microsPerSlot(expression, slots[mode])),
  }));
  return [
    ...medians.map(({ expression, micros }) => note(`next slot of ${expression}`, micros, "µs")),
    atMost("next slot, slowest expression, median", Math.max(...medians.map(({ micros }) => micros)), "µs", {
      stated: targetMicros,
    }),
  ];
}

export const suite: BenchSuite = {
  name: "next-slot",
  about: "next slots of cron expressions",
  diskBytes: { quick: 0, standard: 0, full: 0 },
  run,
};
