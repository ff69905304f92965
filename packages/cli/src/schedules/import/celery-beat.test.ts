import { describe, expect, test } from "vitest";
import { readCeleryBeat } from "./celery-beat.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const options = { engine: "celery", timezone: "Europe/Berlin" };
const read = (document: unknown, given = {}) =>
  readCeleryBeat(typeof document === "string" ? document : JSON.stringify(document), { ...options, ...given }, now);
const readOne = (schedule: unknown) => read({ one: { task: "t", schedule } });
const slotsOf = (schedule: unknown) => {
  const { schedules, problems } = readOne(schedule);
  return schedules.length === 0 ? problems[0]?.text : `${schedules[0]!.kind} ${schedules[0]!.expression}`;
};

describe("readCeleryBeat, a beat_schedule", () => {
  test("reads task, arguments, queue, zone and state", () => {
    const document = {
      timezone: "Asia/Tokyo",
      beat_schedule: {
        report: {
          task: "reports.daily",
          schedule: { minute: 0, hour: "4", timezone: "America/New_York" },
          args: [1, "two"],
          kwargs: { full: true },
          options: { queue: "slow", priority: 3, expires: 60 },
        },
        poll: { task: "poll", schedule: 30, enabled: false, options: { queue: { name: "fast" } } },
        nightly: { task: "nightly", schedule: { minute: 0, hour: 4 } },
      },
    };
    const { schedules, problems, notes } = read(document, { timezone: undefined });
    expect(problems).toEqual([]);
    expect(schedules[0]).toEqual({
      name: "report",
      engine: "celery",
      kind: "cron",
      expression: "0 4 * * *",
      timezone: "America/New_York",
      task_name: "reports.daily",
      queue: "slow",
      args: [1, "two"],
      kwargs: { full: true },
    });
    expect(schedules[1]).toMatchObject({ kind: "interval", expression: "30", queue: "fast", is_enabled: false });
    expect(schedules[2]).toMatchObject({ timezone: "Asia/Tokyo" });
    expect(notes).toEqual([{ at: "report", text: "left out: priority, expires" }]);
  });

  test("notes once that cron times without a zone are UTC", () => {
    const entries = { a: { task: "a", schedule: { minute: 1 } }, b: { task: "b", schedule: { minute: 2 } } };
    const { notes, schedules } = read(entries, { timezone: undefined });
    expect(schedules.map(({ timezone }) => timezone)).toEqual(["UTC", "UTC"]);
    expect(notes).toEqual([{ at: "a", text: "no time zone: times are read as UTC. Set another one with --timezone" }]);
  });

  test("keeps numbers that a double can't represent", () => {
    const { schedules } = read('{"one":{"task":"t","schedule":5,"args":[12345678901234567890]}}');
    expect(JSON.stringify(schedules[0]?.args)).toBe("[12345678901234567890]");
  });

  test.each([
    [30, "interval 30"],
    ["0:05:00", "interval 300"],
    ["1 day, 1:00:00", "interval 90000"],
    ["2 days, 0:00:00", "interval 172800"],
    ["<freq: 30.00 seconds>", "interval 30"],
    ["<freq: 1.00 minute>", "interval 60"],
    ["<freq: 2.00 hours>", "interval 7200"],
    [{ every: 5, period: "minutes" }, "interval 300"],
    [{ every: 5_000_000, period: "microseconds" }, "interval 5"],
    [{ __type__: "interval", every: 60.0, relative: false }, "interval 60"],
    [{ days: 1, seconds: 5 }, "interval 86405"],
    ["<crontab: 0 4 1 * * (m/h/dM/MY/d)>", "cron 0 4 1 * *"],
    ["<crontab: 0 4 mon 1 * (m/h/d/dM/MY)>", 'its day of month "1"'],
    ["<crontab: 0 4 mon * 2 (m/h/d/dM/MY)>", "cron 0 4 * 2 1"],
    [{ __type__: "crontab", minute: "*/15", hour: "*", day_of_week: "*" }, "cron */15 * * * *"],
    ["<solar: sunset at latitude -37.81753, longitude: 144.96715>", "solar sunset:-37.81753:144.96715"],
    [{ event: "dusk_civil", lat: 52.5, lon: 13.4 }, "solar dusk:52.5:13.4"],
    [{ clocked_time: "2026-12-24T18:00:00Z" }, "clocked 2026-12-24T18:00:00Z"],
  ])("reads the schedule %j as %j", (schedule, slots) => {
    const found = slotsOf(schedule);
    if (slots.startsWith("its ")) expect(found).toMatch(/day of month and day of week both match/);
    else expect(found).toBe(slots);
  });

  test.each([
    [{ minute: [0, 30], hour: [8, 9, 10, 17] }, "0,30 8,9,10,17 * * *"],
    [{ minute: "0", hour: "22-3" }, "0 0-3,22-23 * * *"],
    [{ minute: "0", hour: "22-3/2" }, "0 0,2,22 * * *"],
    [{ minute: "0", hour: "0", day_of_week: "mon-fri" }, "0 0 * * 1-5"],
    [{ minute: "0", hour: "0", day_of_week: "saturday,sunday" }, "0 0 * * 0,6"],
    [{ minute: "0", hour: "0", day_of_week: "0-6", day_of_month: "1" }, "0 0 1 * *"],
    [{ minute: "0", hour: "0", day_of_week: "fri", day_of_month: "13", month_of_year: "*" }, null],
    [{ minute: "0", hour: "9", day_of_week: "mon", day_of_month: "1-7,15-21" }, "0 9 * * 1#1,1#3"],
    [{ minute: "0", hour: "9", day_of_week: "5", day_of_month: "29-31" }, "0 9 * * 5#5"],
    [{ minute: "0", hour: "9", day_of_week: "1", day_of_month: "*/2" }, "0 9 */2 * 1"],
  ])("converts the crontab %j to %j", (schedule, expression) => {
    const found = slotsOf(schedule);
    if (expression === null) expect(found).toMatch(/^it fires when day of month and day of week both match/);
    else expect(found).toBe(`cron ${expression}`);
  });

  test.each([
    [undefined, "it has no schedule that svc can read"],
    [{}, "it has no schedule that svc can read"],
    [true, "it has no schedule that svc can read"],
    [0.5, "its interval of 0.5 s is not a whole number of seconds"],
    ["0:00:01.500000", "its interval of 1.5 s is not a whole number of seconds"],
    [40_000_000, "an interval is a whole number of seconds, 1 to 31536000 (one year)"],
    ["<freq: 1.67 minutes>", 'Celery rounds its interval "<freq: 1.67 minutes>": write it in seconds'],
    ["every now and then", 'svc can\'t read its schedule "every now and then"'],
    ["<crontab: 0 4 * * * (h/m)>", 'svc can\'t read its schedule "<crontab: 0 4 * * * (h/m)>"'],
    [{ __type__: "rrule", freq: 5 }, "svc has no recurrence rules (rrule)"],
    [{ every: 5, period: "weeks" }, "its interval is not a number of microseconds, seconds, minutes, hours, days"],
    [{ minute: {} }, "its minute is neither a number, a text nor a list of them"],
    [{ minute: [] }, "its minute has no value"],
    [{ minute: "61" }, 'its minute "61" is not a list of values from 0 to 59'],
    [{ minute: `${"1,".repeat(100)}1` }, "its minute is too long"],
    [{ minute: "*/0" }, 'its minute "*/0" is not a list of values from 0 to 59'],
    [{ event: "dawn_nautical", lat: 1, lon: 1 }, /^svc has no solar event "dawn_nautical", only dawn_civil/],
    [{ event: "sunset", lat: null, lon: 1 }, /^the latitude is a number from -90 to 90/],
    [{ clocked_time: "2020-01-01T00:00:00Z" }, "the instant is in the past"],
    [{ clocked_time: 5 }, "its clocked_time is not a text"],
  ])("refuses the schedule %j", (schedule, reason) => {
    expect(slotsOf(schedule)).toEqual(typeof reason === "string" ? reason : expect.stringMatching(reason));
  });

  test("notes an interval that Celery rounds to hours", () => {
    expect(readOne("<freq: 2.00 hours>").notes).toEqual([
      { at: "one", text: '"<freq: 2.00 hours>" is rounded by Celery and read as 7200 s' },
    ]);
    expect(readOne("<freq: 2.00 minutes>").notes).toEqual([]);
  });

  test("reports invalid entries by name, and keeps the others", () => {
    const document = {
      none: 5,
      "no task": { schedule: 5 },
      args: { task: "t", schedule: 5, args: { a: 1 } },
      kwargs: { task: "t", schedule: 5, kwargs: [1] },
      options: { task: "t", schedule: 5, options: [1] },
      queue: { task: "t", schedule: 5, options: { queue: 5 } },
      large: { task: "t", schedule: 5, args: ["x".repeat(70_000)] },
      good: { task: "t", schedule: 5, args: null, kwargs: null },
    };
    const { schedules, problems } = read(document);
    expect(schedules.map(({ name }) => name)).toEqual(["good"]);
    expect(Object.fromEntries(problems.map(({ at, text }) => [at, text]))).toEqual({
      none: "it is not an object",
      "no task": "it has no task",
      args: "its args are not a list",
      kwargs: "its kwargs are not an object",
      options: "its options are not an object",
      queue: "its queue is not a text",
      large: "its args take more than 64 KiB",
    });
  });

  test("refuses other documents", () => {
    expect(() => read("{")).toThrow("the input is not valid JSON");
    expect(read("5").problems).toEqual([
      { at: "the input", text: "it is neither an object of entries nor a list of dumpdata" },
    ]);
  });
});

describe("readCeleryBeat, a dump of django-celery-beat", () => {
  const row = (model: string, pk: number, fields: object) => ({ model: `django_celery_beat.${model}`, pk, fields });
  const rows = [
    row("crontabschedule", 1, {
      minute: "30",
      hour: "6",
      day_of_month: "*",
      month_of_year: "*",
      day_of_week: "1-5",
      timezone: "Europe/Paris",
    }),
    row("intervalschedule", 1, { every: 10, period: "minutes" }),
    row("solarschedule", 1, { event: "sunrise", latitude: "52.500000", longitude: "13.400000" }),
    row("clockedschedule", 1, { clocked_time: "2027-01-01T00:00:00Z" }),
    row("periodictasks", 1, { last_update: "2026-11-01T00:00:00Z" }),
  ];
  const task = (fields: object) =>
    row("periodictask", 9, {
      name: "one",
      task: "app.tasks.one",
      interval: null,
      crontab: null,
      solar: null,
      clocked: null,
      args: "[]",
      kwargs: "{}",
      queue: null,
      exchange: null,
      routing_key: null,
      headers: "{}",
      priority: null,
      expires: null,
      expire_seconds: null,
      one_off: false,
      start_time: null,
      enabled: true,
      ...fields,
    });

  test("joins tasks with their schedules, wherever they are in the list", () => {
    const tasks = [
      task({ name: "a", crontab: 1, args: "[1]", kwargs: '{"n": 2}', queue: "slow" }),
      task({ name: "b", interval: 1, enabled: false, start_time: "2020-01-01T00:00:00Z" }),
      task({ name: "c", solar: 1 }),
      task({ name: "d", clocked: 1, one_off: true }),
    ];
    const { schedules, problems, notes } = read([...tasks, ...rows]);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(schedules.map(({ name, kind, expression, timezone }) => [name, kind, expression, timezone])).toEqual([
      ["a", "cron", "30 6 * * 1-5", "Europe/Paris"],
      ["b", "interval", "600", "Europe/Berlin"],
      ["c", "solar", "sunrise:52.5:13.4", "Europe/Berlin"],
      ["d", "clocked", "2027-01-01T00:00:00Z", "Europe/Berlin"],
    ]);
    expect(schedules[0]).toMatchObject({ args: [1], kwargs: { n: 2 }, queue: "slow", is_enabled: true });
    expect(schedules[1]).toMatchObject({ task_name: "app.tasks.one", is_enabled: false });
  });

  test("notes what is left out", () => {
    const fields = { interval: 1, priority: 5, exchange: "x", headers: '{"a":1}', expire_seconds: 9 };
    const { notes } = read([...rows, task(fields), row("other", 1, {})]);
    expect(notes).toEqual([
      { at: "entry 7", text: "rows of django_celery_beat.other are ignored" },
      { at: "one", text: "left out: exchange, priority, expire_seconds, headers" },
    ]);
  });

  test.each([
    [{}, "it has no schedule"],
    [{ interval: 7 }, "its interval schedule 7 is not in the dump"],
    [{ interval: 1, one_off: true }, "it runs only once (one_off). Create a clocked schedule instead"],
    [
      { interval: 1, expires: "2027-01-01T00:00:00Z" },
      "it expires at 2027-01-01T00:00:00Z, and schedules of svc don't end",
    ],
    [
      { interval: 1, start_time: "2027-01-01T00:00:00Z" },
      "it starts at 2027-01-01T00:00:00Z, and schedules of svc start at once",
    ],
    [{ interval: 1, start_time: "soon" }, "it starts at soon, and schedules of svc start at once"],
    [{ interval: 1, args: "[1" }, "its args are not valid JSON"],
    [{ interval: 1, kwargs: "[]" }, "its kwargs are not an object"],
    [{ interval: 1, task: null }, "it has no task"],
    [{ interval: 1, name: "" }, "its name is empty"],
  ])("refuses %j", (fields, text) => {
    const { schedules, problems } = read([...rows, task(fields)]);
    expect(schedules).toEqual([]);
    expect(problems).toEqual([{ at: expect.any(String), text }]);
  });

  test("reports rows of another shape, and names that repeat", () => {
    const { problems } = read([5, { model: 5 }, ...rows, task({ interval: 1 }), task({ interval: 1 })]);
    expect(problems).toEqual([
      { at: "entry 1", text: "it is not a row of dumpdata with model and fields" },
      { at: "entry 2", text: "it is not a row of dumpdata with model and fields" },
      { at: "one", text: 'an earlier entry has the name "one"' },
    ]);
  });
});
