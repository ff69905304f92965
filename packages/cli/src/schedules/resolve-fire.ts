import { type Fire, resolutions, type Schedule } from "@svc/client";
import { authHelp, callService, openProject, type Project, projectOptions } from "../api/connect.ts";
import { defineCommand, flag, type OptionValues, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { oneOf } from "../command-line/option-values.ts";
import { confirm } from "../terminal/ask.ts";
import { inOneLine, printResult } from "../terminal/printed.ts";
import { controlTokenOption } from "./control.ts";
import { findSchedules } from "./find-schedules.ts";
import { stateOf, timeIn } from "./schedule-texts.ts";

const newestFires = 1000;

const options = {
  as: text("OUTCOME", `how the fire ended: ${resolutions.join(", ")}. skipped means that it must not run any more`),
  enable: flag("enable the schedule as well"),
  disable: flag("disable the schedule as well"),
  ...controlTokenOption,
  yes: flag("confirm that the task may have run or may still run, instead of being asked"),
  json: flag("print one JSON document with disposition, schedule and fire"),
  ...projectOptions,
} as const;

export const schedulesResolveFire = defineCommand({
  usage: ["schedules resolve-fire NAME_OR_ID FIRE_ID --as OUTCOME [--enable | --disable] [--yes] [--json]"],
  options,
  details: [
    "Sets how a fire ended that is open or timed out. svc schedules show lists the ids of fires. Only the record changes: no task is started or stopped.",
    "The task may have run, or may still run. Check it first: another run can repeat its work.",
    "Exits with 6 when schedule or fire have changed in the meantime, or when the outcome is known.",
    authHelp,
  ],
  positionals: 2,
  async run({ values, positionals: [word = "", given = ""] }, terminal) {
    if (word === "" || given === "") throw new CliError("usage", "missing NAME_OR_ID or FIRE_ID");
    if (values.as === undefined) throw new CliError("usage", "missing --as OUTCOME");
    const resolution = oneOf("as", values.as, resolutions);
    if (values.enable === true && values.disable === true)
      throw new CliError("usage", "--enable and --disable exclude each other");
    const project = await openProject(values, terminal);
    const [schedule] = (await findSchedules(project, [word])) as [Schedule];
    const fire = await findFire(project, schedule, given.toLowerCase());
    await requireConfirmation(values, schedule, fire);
    const resolved = await callService(
      project,
      ({ api, slug }) =>
        api.resolveFire(slug, schedule.id, {
          fire_id: fire.fire_id,
          expected_status: fire.status,
          resolution,
          observed_control_token: values["control-token"] ?? schedule.control_token,
          work_may_have_executed: true,
          // The service would otherwise enable the schedule.
          enabled_after_resolution: values.enable === true || (values.disable !== true && schedule.is_enabled),
        }),
      `fire ${given}`,
    );
    const { disposition, schedule: after } = resolved;
    const moved = `${disposition === "resolved" ? `${fire.status} ->` : "already"} ${resolved.fire.status}`;
    const line = `${inOneLine(after.name)}  ${stateOf(after)}  fire ${fire.fire_id}  ${moved}`;
    printResult(terminal, values, resolved, [line]);
  },
});

/** @throws CliError `notFound` */
async function findFire(project: Project, { id, name }: Schedule, fireId: string): Promise<Fire> {
  const what = `schedule ${name}`;
  const fires = await callService(project, ({ api, slug }) => api.listFires(slug, id, { limit: newestFires }), what);
  const found = fires.find(({ fire_id }) => fire_id === fireId);
  if (found !== undefined) return found;
  throw new CliError("notFound", `fire ${inOneLine(fireId)} not found among the newest 1,000 of ${inOneLine(what)}`);
}

async function requireConfirmation(
  { as: outcome, yes }: OptionValues<typeof options>,
  { name, timezone }: Schedule,
  { scheduled_for, status }: Fire,
): Promise<void> {
  const which = `the fire of ${inOneLine(name)} for ${timeIn(timezone, scheduled_for)} (${status})`;
  const danger = "Its task may have run, or may still run";
  if (yes === true || (await confirm(`${danger}. Resolve ${which} as ${outcome}? [y/N] `))) return;
  throw new CliError("refused", `nothing was resolved. ${danger}: check it, then use --yes to resolve ${which}`);
}
