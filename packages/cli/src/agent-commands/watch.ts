import type { Command } from "@svc/client";
import { authHelp, callService, openProject, type Project, projectOptions } from "../api/connect.ts";
import { follow } from "../api/follow.ts";
import { defineCommand, flag, type Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { createChangedCommands } from "./changed-commands.ts";
import { isFinished, outcomeOf } from "./outcomes.ts";

export const commandsWatch = defineCommand({
  usage: ["commands watch [COMMAND_ID] [--json]"],
  options: {
    json: flag("print JSON: the finished command, or without an id one document per change"),
    ...projectOptions,
  },
  details: [
    "Waits until the command is finished. Exits with 1 when it failed, timed out or was cancelled.",
    "Without an id it prints every command of the project that is issued or changes, until Ctrl-C, and reports missed changes.",
    authHelp,
  ],
  positionals: 1,
  async run({ values, positionals: [id] }, terminal) {
    const project = await openProject(values, terminal);
    const print = (command: Command) => terminal.out(values.json === true ? jsonText(command) : lineOf(command));
    if (id === undefined) return watchAll(project, terminal, print);

    let seen = "";
    const onRead = (read: Command) => {
      if (read.status === seen) return false;
      seen = read.status;
      if (values.json !== true) print(read);
      return true;
    };
    const command = await callService(
      project,
      ({ api, slug }) => follow(() => api.getCommand(slug, id), { isDone: isFinished, onRead }),
      `command ${id}`,
    );
    if (values.json === true) print(command);
    return command.status === "completed" ? exitCodes.done : exitCodes.failed;
  },
});

const lineOf = (command: Command): string => {
  const changed = command.completed_at ?? command.dispatched_at ?? command.issued_at;
  const target = command.target_id === null ? "" : ` ${inOneLine(command.target_id)}`;
  return `${changed}  ${command.id}  ${command.action}${target}  ${outcomeOf(command)}`;
};

async function watchAll(project: Project, terminal: Terminal, print: (command: Command) => void): Promise<number> {
  using stop = listenForStop();
  let hasStopped = false;
  void stop.received.then(() => {
    hasStopped = true;
  });
  let isFirst = true;
  const readChanges = createChangedCommands((query) => project.api.listCommands(project.slug, query));
  const watching = callService(project, () =>
    follow(readChanges, {
      isDone: () => hasStopped,
      onRead({ changed, hasMissed }) {
        if (isFirst) terminal.err(`svc: watching the commands of ${project.slug}. Press Ctrl-C to stop`);
        isFirst = false;
        for (const command of changed) print(command);
        if (hasMissed) terminal.err("svc: too many commands changed at once. Some changes are missing");
        return changed.length > 0;
      },
    }),
  );
  await Promise.race([watching, stop.received]);
  return exitCodes.done;
}
