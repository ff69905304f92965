import { describe, expect, test } from "vitest";
import type { ScheduleDraft } from "../import/conversion.ts";
import { readCrontab } from "../import/crontab.ts";
import { crontabText } from "./crontab-text.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const options = { engine: "bullmq", task: "shell.run", hasUsers: false };
const draft = (fields: Partial<ScheduleDraft>): ScheduleDraft => ({
  name: "one",
  engine: "bullmq",
  kind: "cron",
  expression: "0 4 * * *",
  timezone: "UTC",
  task_name: "shell.run",
  args: [],
  kwargs: { command: "run" },
  is_enabled: true,
  ...fields,
});

describe("crontabText", () => {
  test("prints what readCrontab reads back", () => {
    const text =
      "CRON_TZ=Europe/Berlin\n0 4 * * 1 date +\\%F\n@daily mail ops%Hello%100\\%\nCRON_TZ=UTC\n5 5 * * * a  b";
    const { schedules } = readCrontab(text, options, now);
    const { lines, leftOut } = crontabText(schedules, { hasUsers: false });
    expect(leftOut).toEqual([]);
    expect(lines.join("\n")).toBe(text);
    const system = "CRON_TZ=UTC\n0 4 * * 1 root run-parts /etc";
    const withUsers = readCrontab(system, { ...options, hasUsers: true }, now).schedules;
    expect(crontabText(withUsers, { hasUsers: true }).lines.join("\n")).toBe(system);
  });

  test("comments out disabled schedules, and drops a last field 0", () => {
    const { lines } = crontabText([draft({ is_enabled: false, expression: "0 4 * JUL * 0" })], { hasUsers: false });
    expect(lines).toEqual(["CRON_TZ=UTC", "# 0 4 * JUL * run"]);
  });

  test.each([
    [{ kind: "interval", expression: "60" }, "a crontab has no interval schedules"],
    [{ expression: "0 4 * * * 30" }, "a crontab has no seconds"],
    [{ expression: "0 4 L * *" }, "a crontab has neither L nor #"],
    [{ expression: "0 4 * * 1#2" }, "a crontab has neither L nor #"],
    [{ kwargs: { list: 7 } }, "its task does not run a command"],
    [{ kwargs: { command: "x", list: 7 } }, "its task does not run a command"],
    [{ kwargs: { command: "x", stdin: 7 } }, "its task does not run a command"],
    [{ args: [1] }, "its task does not run a command"],
    [{ kwargs: { command: "x\ny" } }, "its command has several lines"],
    [{ kwargs: { command: "x\\", stdin: "y" } }, "its command ends with a backslash"],
    [{ kwargs: { command: "x", user: "root" } }, "it runs as a user: add --system"],
  ] as const)("leaves out %j", (fields, text) => {
    const { lines, leftOut } = crontabText([draft(fields as Partial<ScheduleDraft>)], { hasUsers: false });
    expect({ lines, leftOut }).toEqual({ lines: [], leftOut: [{ at: "one", text }] });
  });

  test("leaves out schedules without a user from a system crontab", () => {
    expect(crontabText([draft({})], { hasUsers: true }).leftOut).toEqual([{ at: "one", text: "it has no user" }]);
  });
});
