import { type Command, type CommandAction, commandStatuses } from "@svc/client";
import { asking, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import { defineCommand, text } from "../command-line/command.ts";
import {
  defined,
  jsonOption,
  listOptions,
  oneOf,
  readListOptions,
  requireWord,
} from "../command-line/option-values.ts";
import { factsOf, printPage, printResult } from "../terminal/printed.ts";

export const commandsList = defineCommand({
  usage: ["commands list [--status STATUS] [--action ACTION] [--agent ID] [--limit N] [--json]"],
  options: {
    status: text("STATUS", `one of ${commandStatuses.join(", ")}`),
    action: text("ACTION", "for example retry_task"),
    agent: text("ID", "of this agent"),
    ...listOptions,
    ...projectOptions,
  },
  details: [whoAsks],
  async run({ values }, terminal) {
    const { status, action, agent } = values;
    const query = {
      ...readListOptions(values),
      ...defined({
        status: status === undefined ? undefined : oneOf("status", status, commandStatuses),
        action: action as CommandAction | undefined,
        agent_id: agent,
      }),
    };
    const project = await openProject(values, terminal);
    const page = await asking(project, ({ api, slug }) => api.listCommands(slug, query));
    printPage(terminal, values, page, { columns, none: "no command matches" });
  },
});

const columns = {
  id: ({ id }: Command) => id,
  status: ({ status }: Command) => status,
  action: ({ action }: Command) => action,
  target: (command: Command) => command.target_id,
  issued: (command: Command) => command.issued_at,
  error: ({ error }: Command) => error?.split("\n", 1)[0]?.slice(0, 100),
};

export const commandsShow = defineCommand({
  usage: ["commands show COMMAND_ID [--json]"],
  options: { ...jsonOption, ...projectOptions },
  details: ["What was asked for and what came of it is shown to operators; viewers see the rest.", whoAsks],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const id = requireWord(positionals, "command by its id");
    const project = await openProject(values, terminal);
    const command = await asking(project, ({ api, slug }) => api.getCommand(slug, id), `command ${id}`);
    printResult(terminal, values, command, factsOf({ ...command }));
  },
});
