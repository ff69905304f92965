import type { Schedule } from "@svc/client";
import { authHelp, openProject, projectOptions } from "../../api/connect.ts";
import { defineCommand, flag, text } from "../../command-line/command.ts";
import { oneOf } from "../../command-line/option-values.ts";
import { inOneLine, printable } from "../../terminal/printed.ts";
import { startProgress } from "../../terminal/progress.ts";
import { schedulePages } from "../find-schedules.ts";
import type { Finding, ScheduleDraft } from "../import/conversion.ts";
import { ownScheduler } from "../schedule-texts.ts";
import { crontabText } from "./crontab-text.ts";

const formats = ["json", "crontab"] as const;

export const schedulesExport = defineCommand({
  usage: ["schedules export [--format json|crontab] [--source NAME]"],
  options: {
    format: text("NAME", "json, which svc schedules import json reads back, or crontab (default json)"),
    source: text("NAME", "only schedules of this source, such as crontab:backup"),
    system: flag("with --format crontab: add the column of users"),
    ...projectOptions,
  },
  details: [
    "Prints the schedules of svc. Schedules of engines, and with crontab those that a crontab can't express, are listed on standard error.",
    authHelp,
  ],
  async run({ values }, terminal) {
    const format = oneOf("format", values.format ?? "json", formats);
    const project = await openProject(values, terminal);
    const exported: ScheduleDraft[] = [];
    const leftOut: Finding[] = [];
    {
      using progress = startProgress("reading", terminal);
      for await (const items of schedulePages(project)) {
        for (const schedule of items) {
          if (values.source !== undefined && schedule.source !== values.source) continue;
          if (schedule.scheduler === ownScheduler) exported.push(draftOf(schedule));
          else leftOut.push({ at: schedule.name, text: `it belongs to ${schedule.scheduler}` });
        }
        progress.show(exported.length, null, [`${exported.length} schedules`]);
      }
    }
    if (format === "json") terminal.out(printable(JSON.stringify({ schedules: exported }, null, 2)));
    else {
      const crontab = crontabText(exported, { hasUsers: values.system === true });
      for (const line of crontab.lines) terminal.out(printable(line));
      leftOut.push(...crontab.leftOut);
    }
    for (const { at, text } of leftOut) terminal.err(`svc: left out ${inOneLine(at)}: ${text}`);
  },
});

/** What `svc schedules import json` needs to create the schedule again. */
export function draftOf(schedule: Schedule): ScheduleDraft {
  const { name, engine, kind, expression, timezone, task_name, args, kwargs, is_enabled } = schedule;
  const {
    queue,
    priority,
    catch_up,
    overlap_policy,
    source,
    late_start_seconds: late,
    long_run_seconds: long,
  } = schedule;
  return {
    ...{ name, engine, kind, expression, timezone, task_name },
    ...(queue !== null && { queue }),
    ...{ priority, args, kwargs, catch_up, overlap_policy },
    ...(late !== null && { late_start_seconds: late }),
    ...(long !== null && { long_run_seconds: long }),
    ...{ is_enabled, source },
  };
}
