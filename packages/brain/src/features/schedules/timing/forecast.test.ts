import { describe, expect, test } from "vitest";
import { forecast } from "./forecast.ts";
import type { Timed } from "./timing-reads.ts";

const now = new Date("2026-03-28T11:30:00.000Z");
const timezone = "Europe/Berlin";
let made = 0;

function schedule(given: Partial<Timed> = {}): Timed {
  made += 1;
  return {
    id: `id-${made}`,
    name: `s-${made}`,
    kind: "cron",
    expression: "0 0 1 1 *",
    timezone,
    next_run_at: now,
    ...given,
  };
}
const of = (
  schedules: Timed[],
  given: Partial<{ now: Date; days: number; timezone: string; isWhole: boolean }> = {},
  limits?: Parameters<typeof forecast>[2],
) => forecast(schedules, { now, days: 7, timezone, isWhole: true, ...given }, limits);
const total = ({ hours }: Awaited<ReturnType<typeof forecast>>) => hours.reduce((sum, { fires }) => sum + fires, 0);
const on = (found: Awaited<ReturnType<typeof forecast>>, date: string) =>
  found.hours.filter((hour) => hour.date === date);

describe("hours", () => {
  test("begin with the current one and end at the same time on clocks, without the hour that is skipped", async () => {
    const found = await of([]);
    expect(found).toMatchObject({ from: now, to: new Date("2026-04-04T10:30:00Z"), timezone, collisions: [] });
    expect(found.hours[0]).toEqual({
      starts_at: new Date("2026-03-28T11:00:00Z"),
      ...{ date: "2026-03-28", hour: 12, fires: 0 },
    });
    expect(found.hours.at(-1)).toMatchObject({ date: "2026-04-04", hour: 12 });
    expect(found.hours).toHaveLength(7 * 24);
    expect(on(found, "2026-03-29").map(({ hour }) => hour)).toEqual([
      0,
      1,
      ...Array.from({ length: 21 }, (_, at) => at + 3),
    ]);
  });

  test("contain an hour that occurs twice twice", async () => {
    const found = await of([schedule({ expression: "30 2 * * *" })], {
      now: new Date("2026-10-24T12:00:00Z"),
      days: 1,
    });
    const twice = on(found, "2026-10-25").filter(({ hour }) => hour === 2);
    expect(twice.map(({ starts_at, fires }) => [starts_at, fires])).toEqual([
      [new Date("2026-10-25T00:00:00Z"), 1],
      [new Date("2026-10-25T01:00:00Z"), 1],
    ]);
    expect(found.hours).toHaveLength(25);
  });

  test("count each slot once, at the instant at which it fires", async () => {
    const found = await of([schedule({ expression: "30 2 * * *" }), schedule({ expression: "0 * * * *" })]);
    expect(
      on(found, "2026-03-29")
        .map(({ hour, fires }) => `${hour}:${fires}`)
        .slice(0, 4),
    ).toEqual(["0:1", "1:1", "3:2", "4:1"]);
    expect(on(found, "2026-03-30").find(({ hour }) => hour === 2)?.fires).toBe(2);
    expect(total(found)).toBe(7 + 167);
  });

  test("start within half an hour where clocks change by half an hour", async () => {
    const found = await of([], { now: new Date("2026-10-03T12:00:00Z"), days: 1, timezone: "Australia/Lord_Howe" });
    const lengths = found.hours
      .slice(1)
      .map(({ starts_at }, index) => Number(starts_at) - Number(found.hours[index]?.starts_at));
    expect(new Set(lengths)).toEqual(new Set([3_600_000, 1_800_000]));
  });

  test("of an unknown zone are those of UTC", async () => {
    expect((await of([], { timezone: "Mars/Base" })).timezone).toBe("UTC");
  });
});

describe("slots", () => {
  test("of an interval continue from the stored slot, also when it is overdue", async () => {
    const at = (text: string) => new Date(`2026-03-28T${text}Z`);
    const ahead = schedule({ kind: "interval", expression: "86400", next_run_at: at("15:10:00") });
    const overdue = schedule({ kind: "interval", expression: "86400", next_run_at: at("09:10:00") });
    const found = await of([ahead, overdue], { days: 1 });
    const fired = found.hours.filter(({ fires }) => fires > 0).map(({ starts_at }) => starts_at);
    expect(fired).toEqual([at("15:00:00"), new Date("2026-03-29T09:00:00Z")]);
  });

  test("of a date and time occur once", async () => {
    const once = (expression: string) => schedule({ kind: "clocked", expression });
    expect(total(await of([once("2026-03-29T10:00:00Z"), once("2027-01-01T00:00:00Z")]))).toBe(1);
  });

  test("of a schedule that is not understood are left out", async () => {
    expect(total(await of([schedule({ timezone: "Mars/Base" }), schedule({ expression: "0 12 * * *" })]))).toBe(7);
  });

  test("are counted up to the limits, and the answer says so", async () => {
    const every = (expression: string) => schedule({ expression });
    const perCadence = await of([every("* * * * *"), every("0 * * * *")], {}, { slotsPerCadence: 100, slots: 10_000 });
    expect([total(perCadence), perCadence.is_capped]).toEqual([200, true]);
    const together = await of([every("* * * * *"), every("0 * * * *")], {}, { slotsPerCadence: 100, slots: 150 });
    expect([total(together), together.is_capped]).toEqual([150, true]);
    const whole = await of([every("0 * * * *")], {}, { slotsPerCadence: 167, slots: 167 });
    expect([total(whole), whole.is_capped]).toEqual([167, false]);
    expect((await of([], { isWhole: false })).is_capped).toBe(true);
  });
});

describe("collisions", () => {
  test("are minutes in which several schedules fire, those with the most first", async () => {
    const noon = ["a", "b", "c"].map((name) => schedule({ name, expression: "0 12 29 3 *" }));
    const evening = [
      schedule({ name: "d", expression: "0 18 29 3 *" }),
      schedule({ name: "e", expression: "0 18 29 3 * 30" }),
    ];
    const busy = schedule({ name: "f", expression: "5 18 29 3 * */10" });
    const found = await of([...evening, ...noon, busy]);
    expect(found.collisions).toEqual([
      { at: new Date("2026-03-29T10:00:00Z"), schedule_count: 3, names: ["a", "b", "c"] },
      { at: new Date("2026-03-29T16:00:00Z"), schedule_count: 2, names: ["d", "e"] },
    ]);
    expect(total(found)).toBe(3 + 2 + 6);
  });

  test("are at most 50, with ten names each", async () => {
    const found = await of(Array.from({ length: 30 }, () => schedule({ expression: "*/5 * * * *" })));
    expect(found.collisions).toHaveLength(50);
    expect(found.collisions[0]?.at).toEqual(new Date("2026-03-28T11:35:00Z"));
    expect(found.collisions[0]).toMatchObject({ schedule_count: 30 });
    expect(found.collisions[0]?.names).toHaveLength(10);
  });
});
