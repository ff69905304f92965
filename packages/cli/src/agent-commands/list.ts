import { type Command as AgentCommand, type CommandAction, commandStatuses } from "@svc/client";
import { asking, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { oneOf, requireWord, wholeNumber } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";
import { factsOf, jsonText, tableOf } from "../terminal/printed.ts";

const listOptions = {
  status: { type: "string", value: "STATUS", help: `one of ${commandStatuses.join(", ")}` },
  action: { type: "string", value: "ACTION", help: "for example retry_task" },
  agent: { type: "string", value: "ID", help: "of this agent" },
  limit: { type: "string", value: "N", help: "at most so many, newest first, up to 500 (default 50)" },
  cursor: { type: "string", value: "CURSOR", help: "go on where a list ended" },
  json: { type: "boolean", help: "one JSON document: items and next_cursor" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const commandsList: Command = {
  usage: ["commands list [--status STATUS] [--action ACTION] [--agent ID] [--limit N] [--json]"],
  options: listOptions,
  details: [whoAsks],
  async run(args, terminal) {
    const { values } = readOptions(args, listOptions);
    const query = {
      limit: wholeNumber("limit", values.limit ?? "50", { min: 1, max: 500 }),
      ...(values.status !== undefined && { status: oneOf("status", values.status, commandStatuses) }),
      ...(values.action !== undefined && { action: values.action as CommandAction }),
      ...(values.agent !== undefined && { agent_id: values.agent }),
      ...(values.cursor !== undefined && { cursor: values.cursor }),
    };
    const { connection, slug } = await openProject(values, terminal);
    const page = await asking(connection, () => connection.api.listCommands(slug, query), { slug });
    if (values.json === true) terminal.out(jsonText(page));
    else {
      if (page.items.length > 0) for (const line of tableOf(page.items, columns)) terminal.out(line);
      else terminal.err("svc: no command matches");
      if (page.next_cursor !== null) terminal.err(`svc: there are more: --cursor ${page.next_cursor}`);
    }
    return exitCodes.done;
  },
};

const columns = {
  id: ({ id }: AgentCommand) => id,
  status: ({ status }: AgentCommand) => status,
  action: ({ action }: AgentCommand) => action,
  target: (command: AgentCommand) => command.target_id,
  issued: (command: AgentCommand) => command.issued_at,
  error: ({ error }: AgentCommand) => error?.split("\n", 1)[0]?.slice(0, 100),
};

const showOptions = {
  json: { type: "boolean", help: "one JSON document" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const commandsShow: Command = {
  usage: ["commands show COMMAND_ID [--json]"],
  options: showOptions,
  details: ["What was asked for and what came of it is shown to operators; viewers see the rest.", whoAsks],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, showOptions, { positionals: 1 });
    const id = requireWord(positionals, "command by its id");
    const { connection, slug } = await openProject(values, terminal);
    const named = { slug, what: `command ${id}` };
    const command = await asking(connection, () => connection.api.getCommand(slug, id), named);
    if (values.json === true) terminal.out(jsonText(command));
    else for (const line of factsOf({ ...command })) terminal.out(line);
    return exitCodes.done;
  },
};
