import { describe, expect, test } from "vitest";
import { type CrontabOptions, readCrontab } from "./crontab.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const defaults: CrontabOptions = { engine: "bullmq", task: "shell.run", timezone: "UTC", hasUsers: false };
const read = (text: string, options: Partial<CrontabOptions> = {}) =>
  readCrontab(text, { ...defaults, ...options }, now);

describe("readCrontab", () => {
  test("reads lines of five fields and macros, and ignores comments and blank lines", () => {
    const text = [
      "# nightly",
      "",
      "30 2 * * *\t/usr/bin/backup.sh --all",
      "  @midnight  rotate   logs",
      "@annually report",
      "*/5 8-18 * JAN-MAR MON-FRI poll",
    ];
    const { schedules, problems, notes } = read(text.join("\r\n"));
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(schedules[0]).toEqual({
      name: "backup.sh --all",
      engine: "bullmq",
      kind: "cron",
      expression: "30 2 * * *",
      timezone: "UTC",
      task_name: "shell.run",
      args: [],
      kwargs: { command: "/usr/bin/backup.sh --all" },
    });
    expect(schedules.map(({ expression, kwargs }) => [expression, kwargs.command])).toEqual([
      ["30 2 * * *", "/usr/bin/backup.sh --all"],
      ["@daily", "rotate   logs"],
      ["@yearly", "report"],
      ["*/5 8-18 * JAN-MAR MON-FRI", "poll"],
    ]);
  });

  test("takes the zone from CRON_TZ, otherwise TZ, otherwise the option, from their line on", () => {
    const text = '0 1 * * * a\nTZ = "Asia/Tokyo"\n0 2 * * * b\nCRON_TZ=Europe/Berlin\nTZ=UTC\n0 3 * * * c';
    const { schedules } = read(text, { timezone: "America/New_York" });
    expect(schedules.map(({ timezone }) => timezone)).toEqual(["America/New_York", "Asia/Tokyo", "Europe/Berlin"]);
    const without = read("0 1 * * * a\n0 2 * * * b", { timezone: undefined });
    expect(without.schedules.map(({ timezone }) => timezone)).toEqual(["UTC", "UTC"]);
    expect(without.notes).toEqual([
      { at: "line 1", text: "no CRON_TZ: times are read as UTC. Set another zone with --timezone" },
    ]);
  });

  test("reports other variables as ignored", () => {
    const { schedules, notes } = read(
      "SHELL=/bin/bash\nPATH = /bin:/usr/bin\n'MAILTO'=ops@example.org\n0 1 * * * X=1 a=b",
    );
    expect(notes.map(({ at, text }) => `${at}: ${text}`)).toEqual([
      "line 1: SHELL is ignored: set it where the task runs",
      "line 2: PATH is ignored: set it where the task runs",
      "line 3: MAILTO is ignored: set it where the task runs",
    ]);
    expect(schedules.map(({ kwargs }) => kwargs.command)).toEqual(["X=1 a=b"]);
  });

  test("passes what follows the first % as input, and unescapes the others", () => {
    const { schedules } = read("0 1 * * * date +\\%F > x\n0 2 * * * mail ops%Hello%%100\\% done\n0 3 * * * cat%");
    expect(schedules.map(({ kwargs }) => kwargs)).toEqual([
      { command: "date +%F > x" },
      { command: "mail ops", stdin: "Hello\n\n100% done" },
      { command: "cat", stdin: "" },
    ]);
  });

  test("reads the column of users of a system crontab, and suggests it", () => {
    const text = "17 * * * * root cd / && run-parts /etc/cron.hourly\n@daily www-data php cron.php";
    expect(read(text, { hasUsers: true }).schedules.map(({ kwargs }) => kwargs)).toEqual([
      { command: "cd / && run-parts /etc/cron.hourly", user: "root" },
      { command: "php cron.php", user: "www-data" },
    ]);
    expect(read(text).notes).toEqual([
      { at: "line 1", text: "the command begins with root. If this file has a column for users, add --system" },
    ]);
  });

  test("names tasks after their programs without a task", () => {
    const text = "0 1 * * * A=1 B=2 /opt/bin/backup.sh --all\n0 2 * * * '/opt/bin/clean' x\n0 3 * * * A=1";
    const { schedules, problems } = read(text, { task: null });
    expect(schedules.map(({ task_name }) => task_name)).toEqual(["backup.sh", "clean"]);
    expect(problems).toEqual([{ at: "line 3", text: "its command has no program to name the task after. Use --task" }]);
  });

  test("numbers the names of repeated commands, and cuts long ones", () => {
    const long = "x".repeat(500);
    const { schedules } = read(`0 1 * * * /bin/a  b\n0 2 * * * a b\n0 3 * * * ${long}`);
    expect(schedules.map(({ name }) => name)).toEqual(["a b", "a b (2)", "x".repeat(180)]);
  });

  test.each([
    ["@reboot start", "@reboot is not a time: start the program with the machine instead"],
    [
      "@every_minute x",
      "@every_minute is not one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly",
    ],
    ["0 1 * * *", "it has no command"],
    ["0 1", "it has no command"],
    ["0 1 * * * %input", "it has no command before its %"],
    ["61 1 * * * x", "minute: 61 is not between 0 and 59"],
    ["0 0 30 2 * x", "no date within eight years matches the expression"],
    ["0 1 * * * a\u0007b", "its name contains control characters"],
    [`0 1 * * * ${"%".repeat(100_000)}`, "it has more than 100,000 characters"],
    [`0 1 * * * ${"x".repeat(70_000)}`, "its kwargs take more than 64 KiB"],
    [`${"1,".repeat(600)}1 * * * * x`, "its expression has more than 1024 characters"],
  ])("refuses %j and keeps the other lines", (line, text) => {
    const { schedules, problems, problemCount } = read(`0 5 * * * good\n${line}\n0 6 * * * fine`);
    expect(schedules.map(({ name }) => name)).toEqual(["good", "fine"]);
    expect({ problems, problemCount }).toEqual({ problems: [{ at: "line 2", text }], problemCount: 1 });
  });

  test("refuses lines under an unknown zone", () => {
    const { problems } = read("CRON_TZ=Mars/Olympus\n0 1 * * * x");
    expect(problems).toEqual([{ at: "line 2", text: expect.stringContaining("Mars/Olympus") }]);
    expect(read("0 1 * * * x", { hasUsers: true }).problems).toEqual([
      { at: "line 1", text: "it has no user or no command" },
    ]);
  });

  test("limits size, schedules and findings", () => {
    expect(() => read("#".repeat((8 << 20) + 1))).toThrow("the input is larger than 8 MiB");
    expect(() => read("0 1 * * * x\n".repeat(20_001))).toThrow("the input has more than 20,000 schedules");
    const { problems, problemCount } = read("bad\n".repeat(1500));
    expect([problems.length, problemCount]).toEqual([1000, 1500]);
    expect(() => read("bad\n".repeat(10_001))).toThrow(
      "more than 10,000 entries can't be imported. First, line 1: it has no command",
    );
  });
});
