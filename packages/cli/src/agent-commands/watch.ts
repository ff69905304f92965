import type { Command as AgentCommand } from "@svc/client";
import { asking, type Connection, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import { follow } from "../api/follow.ts";
import type { Command, CommandOptions, Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { createChangedCommands } from "./changed-commands.ts";
import { isOver, outcomeOf } from "./outcomes.ts";

const options = {
  json: { type: "boolean", help: "one JSON document: the command when it is over; without an id one for each change" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const commandsWatch: Command = {
  usage: ["commands watch [COMMAND_ID] [--json]"],
  options,
  details: [
    "Waits until the command is over; ends with 1 when it failed, timed out or was cancelled.",
    "Without an id it tells of every command of the project that is issued or changes from now on, until Ctrl-C, and when it missed some.",
    whoAsks,
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const { connection, slug } = await openProject(values, terminal);
    const [id] = positionals;
    const print = (command: AgentCommand) => terminal.out(values.json === true ? jsonText(command) : lineOf(command));
    if (id === undefined) return watchAll(connection, slug, terminal, print);

    let seen = "";
    const command = await asking(
      connection,
      () =>
        follow(() => connection.api.getCommand(slug, id), {
          isDone: isOver,
          onRead: (read) => {
            if (read.status === seen) return false;
            seen = read.status;
            if (values.json !== true) print(read);
            return true;
          },
        }),
      { slug, what: `command ${id}` },
    );
    if (values.json === true) print(command);
    return command.status === "completed" ? exitCodes.done : exitCodes.failed;
  },
};

const lineOf = (command: AgentCommand): string => {
  const changed = command.completed_at ?? command.dispatched_at ?? command.issued_at;
  const target = command.target_id === null ? "" : ` ${inOneLine(command.target_id)}`;
  return `${changed}  ${command.id}  ${command.action}${target}  ${outcomeOf(command)}`;
};

async function watchAll(
  connection: Connection,
  slug: string,
  terminal: Terminal,
  print: (command: AgentCommand) => void,
): Promise<number> {
  using stop = listenForStop();
  let hasStopped = false;
  void stop.received.then(() => {
    hasStopped = true;
  });
  let isFirst = true;
  const look = createChangedCommands((query) => connection.api.listCommands(slug, query));
  const watching = asking(
    connection,
    () =>
      follow(look, {
        isDone: () => hasStopped,
        onRead({ changed, hasMissed }) {
          if (isFirst) terminal.err(`svc: watching the commands of ${slug}; Ctrl-C ends it`);
          isFirst = false;
          for (const command of changed) print(command);
          if (hasMissed) terminal.err("svc: too many commands at once: some changes were missed");
          return changed.length > 0;
        },
      }),
    { slug },
  );
  await Promise.race([watching, stop.received]);
  return exitCodes.done;
}
