import type { ScheduleCreate } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../../api/connect.ts";
import { defineCommand, flag } from "../../command-line/command.ts";
import { CliError } from "../../command-line/exit-codes.ts";
import { jsonOption, requireWord } from "../../command-line/option-values.ts";
import { factsOf, printResult } from "../../terminal/printed.ts";
import { facts, nextRunLines } from "../show.ts";
import { type DefinitionValues, definitionOptions, oneSlot, readMembers, readSlots } from "./definition-options.ts";

export const schedulesCreate = defineCommand({
  usage: [
    "schedules create NAME --engine NAME --task NAME (--cron EXPR | --every TIME | --at TIME | --solar EXPR) [--json]",
  ],
  options: {
    ...definitionOptions((word) => ` (default${word})`),
    disabled: flag("create it disabled"),
    ...jsonOption,
    ...projectOptions,
  },
  details: ["Requires the admin role. Expressions: docs/reference/schedule-expressions.md.", authHelp],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const body = {
      name: requireWord(positionals, "NAME"),
      ...readDefinition(values),
      ...(values.disabled === true && { is_enabled: false }),
    };
    const project = await openProject(values, terminal);
    const { id } = await callService(project, ({ api, slug }) => api.createSchedule(slug, body));
    const created = await callService(project, ({ api, slug }) => api.getSchedule(slug, id, { preview: 3 }));
    printResult(terminal, values, created, [...factsOf(facts(created)), ...nextRunLines(created)]);
  },
});

function readDefinition(values: DefinitionValues): Omit<ScheduleCreate, "name"> {
  const { engine, task } = values;
  if (engine === undefined || task === undefined) throw new CliError("usage", "missing --engine or --task");
  const slots = readSlots(values);
  if (slots === null) throw oneSlot();
  return { ...readMembers(values), engine, task_name: task, ...slots };
}
