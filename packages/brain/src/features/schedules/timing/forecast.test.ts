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

const minutesOf = ({ collisions }: Awaited<ReturnType<typeof forecast>>) =>
  collisions.map(({ at, schedule_count, schedules }) => [at, schedule_count, schedules.map(({ name }) => name)]);

describe("quarters of an hour", () => {
  test("begin with the current one and cover a day, each with its busiest minute", async () => {
    const at = (text: string) => new Date(`2026-03-${text}:00Z`);
    const found = await of([
      schedule({ expression: "45 * * * *", timezone: "UTC" }),
      schedule({ expression: "45,50 12 * * *", timezone: "UTC" }),
      schedule({ kind: "interval", expression: "600", next_run_at: at("28T11:40") }),
      // Its second slot is after the last quarter.
      schedule({ expression: "35 11 * * *", timezone: "UTC" }),
    ]);
    expect(found.quarters).toHaveLength(96);
    expect(found.quarters.slice(0, 6)).toEqual([
      { starts_at: at("28T11:30"), fires: 2, most_per_minute: 1 },
      { starts_at: at("28T11:45"), fires: 2, most_per_minute: 1 },
      { starts_at: at("28T12:00"), fires: 2, most_per_minute: 1 },
      { starts_at: at("28T12:15"), fires: 1, most_per_minute: 1 },
      { starts_at: at("28T12:30"), fires: 2, most_per_minute: 1 },
      { starts_at: at("28T12:45"), fires: 4, most_per_minute: 2 },
    ]);
    expect(found.quarters.at(-1)?.starts_at).toEqual(at("29T11:15"));
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
    expect(minutesOf(found)).toEqual([
      [new Date("2026-03-29T10:00:00Z"), 3, ["a", "b", "c"]],
      [new Date("2026-03-29T16:00:00Z"), 2, ["d", "e"]],
    ]);
    expect(found.collisions[0]?.schedules[0]).toEqual({ id: noon[0]?.id, name: "a" });
    expect(total(found)).toBe(3 + 2 + 6);
  });

  test("are at most 50, with ten schedules each", async () => {
    const found = await of(Array.from({ length: 30 }, () => schedule({ expression: "*/5 * * * *" })));
    expect(found.collisions).toHaveLength(50);
    expect(found.collisions[0]?.at).toEqual(new Date("2026-03-28T11:35:00Z"));
    expect(found.collisions[0]).toMatchObject({ schedule_count: 30, move: null });
    expect(found.collisions[0]?.schedules).toHaveLength(10);
  });

  test("come with a move to the nearest minute that is free on all seven days", async () => {
    const movable = schedule({ name: "movable", expression: "0 4,6 * * *" });
    const others = ["*/15 4 * * *", "0,2 6 * * *", "1 6 * * 5", "3 4 29 3 *"].map((expression) =>
      schedule({ expression }),
    );
    const { collisions } = await of([...others, movable]);
    const found = collisions.find(({ at }) => Number(at) === Date.parse("2026-03-30T02:00:00Z"));
    // Minutes 1 to 3 are taken on some day.
    expect(found?.move).toEqual({
      schedule_id: movable.id,
      expression: "4 4,6 * * *",
      at: new Date("2026-03-30T02:04:00Z"),
    });
  });

  test("come with a move to an earlier minute if no later one is free, and with none if none is free", async () => {
    const late = schedule({ expression: "50 9 * * *" });
    const tail = schedule({ expression: "50-59 9 * * *" });
    const moved = await of([late, tail]);
    expect(moved.collisions[0]?.move).toMatchObject({ schedule_id: late.id, expression: "49 9 * * *" });
    const full = await of([late, schedule({ expression: "* 9 * * *" })]);
    expect(full.collisions[0]?.move).toBe(null);
    // On the 29th, all of the hour that clocks skip fires at its end.
    const skipped = await of([schedule({ expression: "0 2 * * *" }), schedule({ expression: "0 2 * * *" })]);
    expect(skipped.collisions[0]?.move).toBe(null);
  });

  test("have no move while not everything is counted", async () => {
    const two = [schedule({ expression: "0 9 * * *" }), schedule({ expression: "0 9 * * *" })];
    expect((await of(two)).collisions[0]?.move).not.toBe(null);
    expect((await of(two, { isWhole: false })).collisions[0]?.move).toBe(null);
  });
});
