import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { factsOf, printResult } from "../terminal/printed.ts";

export const tasksShow = defineCommand({
  usage: ["tasks show ENGINE TASK_ID [--json]"],
  options: { ...jsonOption, ...projectOptions },
  details: ["Arguments, results and errors are shown redacted, as the service stores them.", authHelp],
  positionals: 2,
  async run({ values, positionals: [engine, taskId] }, terminal) {
    if (engine === undefined || taskId === undefined) throw new CliError("usage", "missing ENGINE or TASK_ID");
    const project = await openProject(values, terminal);
    const what = `task ${taskId} of ${engine}`;
    const task = await callService(project, ({ api, slug }) => api.getTask(slug, engine, taskId), what);
    // Internal ids of the service are left out.
    const { id: _, project_id: __, created_at: ___, updated_at: ____, ...shown } = task;
    printResult(terminal, values, task, factsOf(shown));
  },
});
