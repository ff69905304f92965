import type { BulkRetryRequest } from "@svc/client";
import { callService, openProject, type Project, projectOptions, sessionAuthHelp } from "../api/connect.ts";
import { type Command, defineCommand } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption, requireWord } from "../command-line/option-values.ts";
import { printBulkRetry, watchBulkRetry } from "./watch.ts";

const options = { ...jsonOption, ...projectOptions };

/** A command about one bulk retry. */
const requestCommand = (name: string, details: string, act: typeof watchBulkRetry): Command =>
  defineCommand({
    usage: [`bulk-retry ${name} REQUEST_ID [--json]`],
    options,
    details: [details, sessionAuthHelp],
    positionals: 1,
    async run({ values, positionals }, terminal) {
      const id = requireWord(positionals, "REQUEST_ID");
      return act(id, values, await openProject(values, terminal, { needsSession: true }), terminal);
    },
  });

type Control = (project: Project, id: string) => Promise<BulkRetryRequest>;

const controlCommand = (name: string, details: string, control: Control): Command =>
  requestCommand(name, details, async (id, given, project, terminal) => {
    const request = await callService(project, () => control(project, id), `bulk retry request ${id}`);
    printBulkRetry(request, given, terminal);
    return exitCodes.done;
  });

export const bulkRetryWatch = requestCommand(
  "watch",
  "Follows a bulk retry until it finishes, is paused or is blocked. Exits with 0 if every task was retried or none matched, otherwise with 1.",
  watchBulkRetry,
);

export const bulkRetryShow = controlCommand("show", "Shows the progress of a bulk retry.", ({ api, slug }, id) =>
  api.getBulkRetry(slug, id),
);

export const bulkRetryCancel = controlCommand(
  "cancel",
  "Cancels a bulk retry that is still searching for its tasks. Use pause for one that has started.",
  ({ api, slug }, id) => api.cancelBulkRetry(slug, id),
);

export const bulkRetryPause = controlCommand(
  "pause",
  "Stops sending tasks until the bulk retry is resumed. Tasks already sent continue.",
  ({ api, slug }, id) => api.pauseBulkRetry(slug, id),
);

export const bulkRetryResume = controlCommand(
  "resume",
  "Resumes a paused or blocked bulk retry with a new time limit.",
  ({ api, slug }, id) => api.resumeBulkRetry(slug, id),
);
