import { asking, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import { defineCommand } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { factsOf, printResult } from "../terminal/printed.ts";

export const tasksShow = defineCommand({
  usage: ["tasks show ENGINE TASK_ID [--json]"],
  options: { ...jsonOption, ...projectOptions },
  details: ["Arguments, results and errors read as the agent redacted them.", whoAsks],
  positionals: 2,
  async run({ values, positionals: [engine, taskId] }, terminal) {
    if (engine === undefined || taskId === undefined) throw new CliError("usage", "name engine and task id");
    const project = await openProject(values, terminal);
    const what = `task ${taskId} of ${engine}`;
    const task = await asking(project, ({ api, slug }) => api.getTask(slug, engine, taskId), what);
    // Without what the service knows it by.
    const { id: _, project_id: __, created_at: ___, updated_at: ____, ...shown } = task;
    printResult(terminal, values, task, factsOf(shown));
  },
});
