import { describe, expect, test } from "vitest";
import { cronOfBullmq, readBullmq } from "./bullmq.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const options = { engine: "bullmq", queue: "mail", timezone: "UTC" };
const read = (document: unknown, given = {}) => readBullmq(JSON.stringify(document), { ...options, ...given }, now);

describe("readBullmq", () => {
  test("reads patterns, intervals and templates", () => {
    const { schedules, problems, notes } = read([
      {
        key: "digest",
        name: "send-digest",
        pattern: "15 30 9 * * 1-5",
        tz: "Europe/Berlin",
        next: 1_800_000_000_000,
        iterationCount: 7,
        startDate: 1_700_000_000_000,
        template: { data: { list: 7 }, opts: { attempts: 3, priority: 1 } },
      },
      { key: "poll", name: "poll", every: 60_000, offset: 500, template: { data: "now" } },
      { key: "old", name: "", pattern: "0 4 * * *", queue: "nightly" },
    ]);
    expect(problems).toEqual([]);
    expect(schedules).toEqual([
      {
        name: "mail:digest",
        engine: "bullmq",
        kind: "cron",
        expression: "30 9 * * 1-5 15",
        timezone: "Europe/Berlin",
        task_name: "send-digest",
        queue: "mail",
        args: [],
        kwargs: { list: 7 },
      },
      expect.objectContaining({ kind: "interval", expression: "60", args: ["now"], kwargs: {}, timezone: "UTC" }),
      expect.objectContaining({ name: "nightly:old", task_name: "old", queue: "nightly", args: [], kwargs: {} }),
    ]);
    expect(notes).toEqual([
      { at: "mail:digest", text: "left out: opts.attempts, opts.priority" },
      { at: "mail:poll", text: "an interval counts from the import, not from BullMQ's own times" },
      { at: "mail:poll", text: "left out: offset" },
    ]);
  });

  test("reads an object with a list for each queue", () => {
    const one = { key: "one", pattern: "0 4 * * *" };
    const { schedules, problems, notes } = read({ a: [one], b: [one, one], c: 5 }, { timezone: undefined });
    expect(schedules.map(({ name, queue }) => [name, queue])).toEqual([
      ["a:one", "a"],
      ["b:one", "b"],
    ]);
    expect(problems).toEqual([
      { at: "b:one", text: 'an earlier entry has the name "b:one"' },
      { at: "c", text: "it is not a list of job schedulers" },
    ]);
    expect(notes).toEqual([{ at: "a:one", text: "no tz: times are read as UTC. Set another zone with --timezone" }]);
  });

  test.each([
    [5, "entry 1", "it is not an object"],
    [{ name: "x", every: 1000 }, "entry 1", "it has no key"],
    [{ key: "k" }, "k", "it has neither a pattern nor every"],
    [{ key: "k", every: 1500 }, "k", "its interval of 1500 ms is not a whole number of seconds"],
    [{ key: "k", every: 500 }, "k", "its interval of 500 ms is not a whole number of seconds"],
    [{ key: "k", every: 1000, limit: 5 }, "k", "it ends after 5 runs, and schedules of svc don't end"],
    [
      { key: "k", every: 1000, endDate: 1_900_000_000_000 },
      "k",
      "it ends at 2030-03-17T17:46:40.000Z, and schedules of svc don't end",
    ],
    [
      { key: "k", every: 1000, startDate: "2027-01-01" },
      "k",
      "it starts at 2027-01-01T00:00:00.000Z, and schedules of svc start at once",
    ],
    [{ key: "k", every: 1000, startDate: "soon" }, "k", "it starts at soon, and schedules of svc start at once"],
    [{ key: "k", every: 1000, template: 5 }, "k", "its template is not an object"],
    [{ key: "k", pattern: "0 0 5L * *" }, "k", "day: 5L is not a number"],
    [{ key: "k", pattern: "0 4 * * *", tz: "Mars" }, "k", expect.stringContaining("Mars")],
  ])("refuses %j", (entry, at, text) => {
    const { schedules, problems } = read([entry, { key: "good", every: "2000" }]);
    expect(schedules.map(({ expression }) => expression)).toEqual(["2"]);
    expect(problems).toEqual([{ at: `mail:${at}`, text }]);
  });

  test("refuses a list without a queue, and other documents", () => {
    expect(read([{ key: "k", every: 1000 }], { queue: undefined }).problems).toEqual([
      { at: "k", text: "it has no queue. Use --queue, or an object with a list for each queue" },
    ]);
    expect(read(5).problems).toEqual([
      { at: "the input", text: "it is neither a list of job schedulers nor an object of lists" },
    ]);
  });
});

describe("cronOfBullmq", () => {
  test.each([
    ["0 4 * * *", "0 4 * * *"],
    ["0 0 4 * * *", "0 4 * * *"],
    ["*/10 0 4 * * *", "0 4 * * * */10"],
    [" 30  0 4 1 * ? ", "0 4 1 * * 30"],
    ["@weekdays", "0 0 * * 1-5"],
    ["@secondly", "* * * * * *"],
    ["@annually", "@yearly"],
    ["0 0 4 13 * 5", "0 4 13 * 5"],
    ["0 0 4 */2 * 1", "0 4 1-31/2 * 1"],
    ["0 4 1 * */2", "0 4 1 * 0-6/2"],
    ["0 4 * * 1/2", "0 4 * * 1-7/2"],
    ["0 4 * * 1#2", "0 4 * * 1#2"],
    ["0 0 L * *", "0 0 L * *"],
  ])("converts %j to %j", (pattern, expression) => {
    expect(cronOfBullmq(pattern)).toBe(expression);
  });

  test.each(["0 4 1 * 0-6", "0 4 1 * 1#2", "0 4 1-31 * 1", "0 4 *", "0 0 0 4 * * *"])("refuses %j", (pattern) => {
    expect(() => cronOfBullmq(pattern)).toThrow(/differently|fields/);
  });
});
