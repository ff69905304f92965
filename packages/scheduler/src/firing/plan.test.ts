import { compileCadence } from "@svc/cadence";
import { describe, expect, test } from "vitest";
import { type Planned, planStep } from "./plan.ts";

const at = (text: string) => Date.parse(text);
const missedAfterMs = 60_000;
const everyMinute = compileCadence({ kind: "cron", expression: "* * * * *", timezone: "UTC" });
const everySecond = compileCadence({ kind: "interval", expression: "1", timezone: "UTC" });

const planned = (given: Partial<Planned>): Planned => ({
  nextRunAt: at("2026-03-01T06:00:00Z"),
  catchUp: "skip",
  replayed: 0,
  chosenSlot: null,
  ...given,
});

const stepAt = (now: string, given: Partial<Planned> = {}, cadence = everyMinute) =>
  planStep(planned(given), cadence, at(now), missedAfterMs);

describe("a slot that is not missed", () => {
  test("waits until its time", () => {
    expect(stepAt("2026-03-01T05:59:59.999Z")).toEqual({ kind: "wait" });
    expect(stepAt("2026-03-01T06:00:00Z", { nextRunAt: null })).toEqual({ kind: "wait" });
  });

  test.each(["skip", "fire_one_missed", "fire_all_missed"])("fires under %s up to the limit", (catchUp) => {
    const fire = {
      kind: "fire",
      slot: at("2026-03-01T06:00:00Z"),
      next: at("2026-03-01T06:01:00Z"),
      isMissed: false,
    };
    expect(stepAt("2026-03-01T06:00:00Z", { catchUp })).toEqual(fire);
    expect(stepAt("2026-03-01T06:01:00Z", { catchUp })).toEqual(fire);
  });

  test("has no successor when it is the only one", () => {
    const once = compileCadence({ kind: "clocked", expression: "2026-03-01T06:00:00Z", timezone: "UTC" });
    expect(stepAt("2026-03-01T06:00:00Z", {}, once)).toMatchObject({ kind: "fire", next: null });
  });
});

describe("missed slots", () => {
  const now = "2026-03-01T06:10:30Z"; // 06:00 to 06:09 are missed, 06:10 is not

  test("are all skipped under skip", () => {
    expect(stepAt(now)).toEqual({
      kind: "advance",
      slot: at("2026-03-01T06:00:00Z"),
      through: at("2026-03-01T06:09:00Z"),
      skipped: 10,
      next: at("2026-03-01T06:10:00Z"),
      chosen: false,
    });
  });

  test("are skipped up to the newest one under fire_one_missed, which then fires", () => {
    expect(stepAt(now, { catchUp: "fire_one_missed" })).toEqual({
      kind: "advance",
      slot: at("2026-03-01T06:00:00Z"),
      through: at("2026-03-01T06:08:00Z"),
      skipped: 9,
      next: at("2026-03-01T06:09:00Z"),
      chosen: true,
    });
    const newest = at("2026-03-01T06:09:00Z");
    expect(stepAt(now, { catchUp: "fire_one_missed", nextRunAt: newest })).toMatchObject({
      kind: "fire",
      slot: newest,
      isMissed: true,
    });
  });

  test("stay chosen under fire_one_missed although a newer one is missed by then", () => {
    const chosen = at("2026-03-01T06:09:00Z");
    const given = { catchUp: "fire_one_missed", nextRunAt: chosen, chosenSlot: chosen };
    expect(stepAt("2026-03-01T06:20:00Z", given)).toMatchObject({ kind: "fire", slot: chosen, isMissed: true });
  });

  test("fire one after the other under fire_all_missed, 10,000 at most", () => {
    const all = { catchUp: "fire_all_missed" };
    const fire = { kind: "fire", slot: at("2026-03-01T06:00:00Z"), next: at("2026-03-01T06:01:00Z"), isMissed: true };
    expect(stepAt(now, all)).toEqual(fire);
    expect(stepAt(now, { ...all, replayed: 9999 })).toEqual(fire);
    expect(stepAt(now, { ...all, replayed: 10_000 })).toMatchObject({
      kind: "advance",
      through: at("2026-03-01T06:09:00Z"),
      skipped: 10,
      chosen: false,
    });
  });

  test("are counted up to 10,000 and all passed in one step", () => {
    const dayLater = "2026-03-02T06:00:00Z";
    expect(stepAt(dayLater, {}, everySecond)).toMatchObject({
      through: at("2026-03-02T05:58:59Z"),
      skipped: 10_000,
      next: at("2026-03-02T05:59:00Z"),
    });
    expect(stepAt("2026-04-01T06:00:00Z")).toMatchObject({ skipped: 10_000, through: at("2026-04-01T05:58:00Z") });
  });

  test("end a schedule that has only one slot", () => {
    const once = compileCadence({ kind: "clocked", expression: "2026-03-01T06:00:00Z", timezone: "UTC" });
    expect(stepAt(now, {}, once)).toMatchObject({ kind: "advance", skipped: 1, next: null });
    expect(stepAt(now, { catchUp: "fire_one_missed" }, once)).toMatchObject({ kind: "fire", next: null });
  });

  test("of a day with a repeated hour are all counted", () => {
    const berlin = compileCadence({ kind: "cron", expression: "30 2 * * *", timezone: "Europe/Berlin" });
    const given = { nextRunAt: at("2026-10-25T00:30:00Z") };
    expect(stepAt("2026-10-25T02:00:00Z", given, berlin)).toMatchObject({
      through: at("2026-10-25T01:30:00Z"),
      skipped: 2,
      next: at("2026-10-26T01:30:00Z"),
    });
  });
});
