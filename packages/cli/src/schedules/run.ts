import { isFinished, outcomeOf } from "../agent-commands/outcomes.ts";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { follow } from "../api/follow.ts";
import { defineCommand, flag } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { requireWord } from "../command-line/option-values.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { findSchedules } from "./find-schedules.ts";

export const schedulesRun = defineCommand({
  usage: ["schedules run NAME_OR_ID [--no-wait] [--json]"],
  options: {
    "no-wait": flag("exit once the service has accepted the request"),
    json: flag("print one JSON document with schedule, fire_id and command"),
    ...projectOptions,
  },
  details: [
    "Starts the task of a schedule once, now. Its slots do not change. A disabled schedule can be run, a paused or quarantined one can't.",
    "Waits until the task is added to the engine, not until it finishes. Exits with 1 when that fails. Ctrl-C stops waiting, not the run.",
    "The request is not repeated after a lost connection, so that the task does not start twice.",
    authHelp,
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const word = requireWord(positionals, "NAME_OR_ID");
    const project = await openProject(values, terminal);
    const [found] = await findSchedules(project, [word]);
    const { id, name } = found!;
    const triggered = await callService(project, ({ api, slug }) => api.triggerSchedule(slug, id), `schedule ${word}`);
    const { command_id: commandId, fire_id, ...schedule } = triggered;
    const asJson = values.json === true;
    if (values["no-wait"] === true) {
      const command = asJson && (await callService(project, ({ api, slug }) => api.getCommand(slug, commandId)));
      terminal.out(asJson ? jsonText({ schedule, fire_id, command }) : `${inOneLine(name)}  command ${commandId}`);
      return exitCodes.done;
    }
    terminal.err(`svc: issued command ${commandId}. Follow it with svc commands watch ${commandId}`);
    const command = await callService(
      project,
      ({ api, slug }) => follow(() => api.getCommand(slug, commandId), { isDone: isFinished }),
      `command ${commandId}`,
    );
    const { task_id: taskId } = (command.result ?? {}) as { task_id?: unknown };
    const task = typeof taskId === "string" ? inOneLine(` as task ${taskId}`) : "";
    terminal.out(
      asJson ? jsonText({ schedule, fire_id, command }) : `${inOneLine(name)}  ${outcomeOf(command)}${task}`,
    );
    return command.status === "completed" ? exitCodes.done : exitCodes.failed;
  },
});
