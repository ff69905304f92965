import { plural } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { inOneLine, printResult } from "../terminal/printed.ts";

export const schedulesResync = defineCommand({
  usage: ["schedules resync [--json]"],
  options: { ...jsonOption, ...projectOptions },
  details: [
    "Asks every online agent with a scheduler to report all schedules of its engine. Changes nothing in the engines, and does not wait for the reports.",
    "Exits with 1 when there is no such agent. Requires the admin role.",
    authHelp,
  ],
  positionals: 0,
  async run({ values }, terminal) {
    const project = await openProject(values, terminal);
    const asked = await callService(project, ({ api, slug }) => api.resyncSchedules(slug));
    const { agents_dispatched: count, schedulers_observed: schedulers } = asked;
    const line = `asked ${plural(count, "agent")} for the schedules of ${inOneLine(schedulers.join(", "))}`;
    printResult(terminal, values, asked, count === 0 ? [] : [line]);
    if (count > 0) return exitCodes.done;
    terminal.err("svc: no online agent reports schedules of an engine");
    return exitCodes.failed;
  },
});
