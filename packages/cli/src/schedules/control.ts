import { plural, type Schedule } from "@svc/client";
import { authHelp, callService, openProject, type Project, projectOptions } from "../api/connect.ts";
import {
  type Command,
  type CommandOptions,
  defineCommand,
  flag,
  type OptionValues,
  type Terminal,
  text,
} from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { confirm } from "../terminal/ask.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { findSchedules } from "./find-schedules.ts";
import { ownScheduler, stateOf } from "./schedule-texts.ts";

const options = { ...jsonOption, ...projectOptions } as const satisfies CommandOptions;
const deleteOptions = { yes: flag("do not ask for confirmation"), ...options } as const satisfies CommandOptions;

type Act = (project: Project, schedule: Schedule) => Promise<Schedule | undefined>;

/** Changes the schedules one after the other. The first refusal ends the command; the schedules before it stay changed. */
async function change(
  words: readonly string[],
  {
    act,
    json,
    before,
  }: { act: Act; json: boolean | undefined; before?: (found: readonly Schedule[]) => Promise<void> },
  project: Project,
  terminal: Terminal,
): Promise<number> {
  const found = await findSchedules(project, words);
  await before?.(found);
  const changed: (Schedule | { id: string; name: string })[] = [];
  try {
    for (const schedule of found) {
      const { id, name } = schedule;
      const row = await callService(project, () => act(project, schedule), `schedule ${name}`);
      changed.push(row ?? { id, name });
      if (json !== true) terminal.out(`${inOneLine(name)}  ${row === undefined ? "deleted" : textOf(row)}`);
    }
  } finally {
    if (json === true) terminal.out(jsonText({ schedules: changed }));
  }
  return exitCodes.done;
}

/** The state after the change, or that the engine was asked. */
const textOf = (row: Schedule): string =>
  row.scheduler === ownScheduler
    ? stateOf(row)
    : `requested from ${row.scheduler}. svc schedules show reports when it applies`;

function requireWords(words: readonly string[]): readonly string[] {
  if (words.length === 0) throw new CliError("usage", "missing NAME_OR_ID");
  return words;
}

const controlCommand = (name: string, details: string, act: Act): Command =>
  defineCommand({
    usage: [`schedules ${name} NAME_OR_ID... [--json]`],
    options,
    details: [details, authHelp],
    positionals: Number.POSITIVE_INFINITY,
    async run({ values, positionals }: { values: OptionValues<typeof options>; positionals: string[] }, terminal) {
      const words = requireWords(positionals);
      const project = await openProject(values, terminal);
      return change(words, { act, json: values.json }, project, terminal);
    },
  });

export const schedulesEnable = controlCommand(
  "enable",
  "Enables schedules. The next slot is computed from now on. For a schedule of an engine, its agent is asked to do so.",
  ({ api, slug }, { id }) => api.enableSchedule(slug, id),
);

export const schedulesDisable = controlCommand(
  "disable",
  "Disables schedules. For a schedule of an engine, its agent is asked to do so.",
  ({ api, slug }, { id }) => api.disableSchedule(slug, id),
);

export const schedulesPause = controlCommand(
  "pause",
  "Holds schedules of svc until they are resumed. Slots in that time are not missed and never fire.",
  ({ api, slug }, { id }) => api.pauseSchedule(slug, id),
);

export const schedulesResume = controlCommand(
  "resume",
  "Resumes paused schedules. The next slot is computed from now on.",
  ({ api, slug }, { id }) => api.resumeSchedule(slug, id),
);

/** Options of commands that must not act on a schedule that has changed. */
export const controlTokenOption = {
  "control-token": text("TOKEN", "refuse if the schedule has changed since --json printed this control_token"),
} as const satisfies CommandOptions;

export const schedulesClearQuarantine = defineCommand({
  usage: ["schedules clear-quarantine NAME_OR_ID... [--control-token TOKEN] [--json]"],
  options: { ...controlTokenOption, ...options },
  details: [
    "Releases schedules that a scheduler could not fire. Fix the cause first, which svc schedules show prints; otherwise they are quarantined again.",
    "The next slot is computed from now on. Requires the admin role.",
    authHelp,
  ],
  positionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, terminal) {
    const words = requireWords(positionals);
    const token = values["control-token"];
    if (token !== undefined && words.length > 1)
      throw new CliError("usage", "--control-token applies to one schedule only");
    const project = await openProject(values, terminal);
    const act: Act = ({ api, slug }, { id, control_token: seen }) =>
      api.clearScheduleQuarantine(slug, id, { observed_control_token: token ?? seen });
    return change(words, { act, json: values.json }, project, terminal);
  },
});

export const schedulesDelete = defineCommand({
  usage: ["schedules delete NAME_OR_ID... [--yes] [--json]"],
  options: deleteOptions,
  details: ["Deletes schedules of svc. Tasks that they started continue. Requires the admin role.", authHelp],
  positionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, terminal) {
    const words = requireWords(positionals);
    const project = await openProject(values, terminal);
    const act: Act = async ({ api, slug }, { id }) => void (await api.deleteSchedule(slug, id));
    const before = async (found: readonly Schedule[]) => {
      const which = found.length === 1 ? `schedule ${inOneLine(found[0]!.name)}` : plural(found.length, "schedule");
      if (values.yes === true || (await confirm(`Delete ${which}? [y/N] `))) return;
      throw new CliError("refused", `nothing was deleted. Use --yes to delete ${which} without confirmation`);
    };
    return change(words, { act, json: values.json, before }, project, terminal);
  },
});
