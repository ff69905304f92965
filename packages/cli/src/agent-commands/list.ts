import { type Command, type CommandAction, commandStatuses } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
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
    action: text("ACTION", "only this action, for example retry_task"),
    agent: text("ID", "only commands for this agent"),
    ...listOptions,
    ...projectOptions,
  },
  details: [authHelp],
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
    const page = await callService(project, ({ api, slug }) => api.listCommands(slug, query));
    printPage(terminal, values, page, { columns, none: "no commands found" });
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
  details: ["Payload and result are shown to operators only.", authHelp],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const id = requireWord(positionals, "COMMAND_ID");
    const project = await openProject(values, terminal);
    const command = await callService(project, ({ api, slug }) => api.getCommand(slug, id), `command ${id}`);
    printResult(terminal, values, command, factsOf({ ...command }));
  },
});
