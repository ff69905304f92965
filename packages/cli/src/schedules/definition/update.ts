import type { ScheduleChanges } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../../api/connect.ts";
import { defineCommand, flag, type OptionValues, text } from "../../command-line/command.ts";
import { CliError } from "../../command-line/exit-codes.ts";
import { defined, jsonOption, requireWord } from "../../command-line/option-values.ts";
import { factsOf, printResult } from "../../terminal/printed.ts";
import { findSchedules } from "../find-schedules.ts";
import { facts, nextRunLines } from "../show.ts";
import { definitionOptions, readMembers, readSlots } from "./definition-options.ts";

const options = {
  name: text("NAME", "new name"),
  ...definitionOptions(() => ""),
  "no-queue": flag("use the default queue of the engine"),
  "no-late-start": flag("do not check for late starts"),
  "no-long-run": flag("do not check for long runs"),
  ...jsonOption,
  ...projectOptions,
} as const;

export const schedulesUpdate = defineCommand({
  usage: ["schedules update NAME_OR_ID [options] [--json]"],
  options,
  details: [
    "Changes a schedule of svc: what the options name, and nothing else. If that changes what fires or when, the next slot is computed from now on,",
    "and fires that wait for an agent are not delivered. Use svc schedules enable and disable for its state. Requires the admin role.",
    authHelp,
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const word = requireWord(positionals, "NAME_OR_ID");
    const changes = readChanges(values);
    if (Object.keys(changes).length === 0) throw new CliError("usage", "nothing to change: give at least one option");
    const project = await openProject(values, terminal);
    const [found] = await findSchedules(project, [word]);
    const { id } = found!;
    const what = `schedule ${word}`;
    await callService(project, ({ api, slug }) => api.updateSchedule(slug, id, changes), what);
    const changed = await callService(project, ({ api, slug }) => api.getSchedule(slug, id, { preview: 3 }), what);
    printResult(terminal, values, changed, [...factsOf(facts(changed)), ...nextRunLines(changed)]);
  },
});

function readChanges(values: OptionValues<typeof options>): ScheduleChanges {
  for (const option of ["queue", "late-start", "long-run"] as const) {
    if (values[option] !== undefined && values[`no-${option}`] === true)
      throw new CliError("usage", `--${option} and --no-${option} exclude each other`);
  }
  return {
    ...defined({ name: values.name }),
    ...readMembers(values),
    ...readSlots(values),
    ...(values["no-queue"] === true && { queue: null }),
    ...(values["no-late-start"] === true && { late_start_seconds: null }),
    ...(values["no-long-run"] === true && { long_run_seconds: null }),
  };
}
