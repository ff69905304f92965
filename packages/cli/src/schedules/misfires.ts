import type { Misfire } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand, text } from "../command-line/command.ts";
import { jsonOption, wholeNumber } from "../command-line/option-values.ts";
import { printResult, tableOf } from "../terminal/printed.ts";
import { findSchedules } from "./find-schedules.ts";

export const schedulesMisfires = defineCommand({
  usage: ["schedules misfires [NAME_OR_ID] [--limit N] [--json]"],
  options: {
    limit: text("N", "maximum number of rows, newest first, up to 1,000 (default 50)"),
    ...jsonOption,
    ...projectOptions,
  },
  details: ["Lists slots that were not fired in time, and tasks that started too late or run too long.", authHelp],
  positionals: 1,
  async run({ values, positionals: [word] }, terminal) {
    const limit = wholeNumber("limit", values.limit ?? "50", { min: 1, max: 1000 });
    const project = await openProject(values, terminal);
    const [schedule] = word === undefined ? [] : await findSchedules(project, [word]);
    const misfires = await callService(project, ({ api, slug }) =>
      schedule === undefined
        ? api.listMisfires(slug, { limit })
        : api.listScheduleMisfires(slug, schedule.id, { limit }),
    );
    printResult(terminal, values, misfires, tableOf(misfires, columns));
    if (values.json !== true && misfires.length === 0) terminal.err("svc: no misfires");
  },
});

const columns = {
  detected: ({ detected_at }: Misfire) => detected_at,
  schedule: ({ name }: Misfire) => name,
  misfire: ({ misfire_kind }: Misfire) => misfire_kind,
  slot: ({ expected_fire_at }: Misfire) => expected_fire_at,
  late: ({ lateness_seconds }: Misfire) => `${lateness_seconds} s`,
  limit: ({ grace_seconds }: Misfire) => `${grace_seconds} s`,
};
