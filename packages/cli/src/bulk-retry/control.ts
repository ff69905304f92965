import type { BulkRetryRequest } from "@svc/client";
import { asking, openProject, type Project, projectOptions, sessionAsks } from "../api/connect.ts";
import { type Command, defineCommand } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption, requireWord } from "../command-line/option-values.ts";
import { printBulkRetry, watchBulkRetry } from "./watch.ts";

const options = { ...jsonOption, ...projectOptions };

/** A command about one bulk retry. */
const aboutOne = (name: string, details: string, act: typeof watchBulkRetry): Command =>
  defineCommand({
    usage: [`bulk-retry ${name} REQUEST_ID [--json]`],
    options,
    details: [details, sessionAsks],
    positionals: 1,
    async run({ values, positionals }, terminal) {
      const id = requireWord(positionals, "bulk retry by its id");
      return act(id, values, await openProject(values, terminal, { needsSession: true }), terminal);
    },
  });

type Control = (project: Project, id: string) => Promise<BulkRetryRequest>;

const controlling = (name: string, details: string, control: Control): Command =>
  aboutOne(name, details, async (id, given, project, terminal) => {
    const request = await asking(project, () => control(project, id), `bulk retry request ${id}`);
    printBulkRetry(request, given, terminal);
    return exitCodes.done;
  });

export const bulkRetryWatch = aboutOne(
  "watch",
  "Follows a bulk retry to its end, or until it is paused or blocked. Ends with 1 unless every task was retried.",
  watchBulkRetry,
);

export const bulkRetryShow = controlling("show", "Tells how far a bulk retry has come.", ({ api, slug }, id) =>
  api.getBulkRetry(slug, id),
);

export const bulkRetryCancel = controlling(
  "cancel",
  "Cancels a bulk retry while its tasks are still searched for. A sealed one is paused instead.",
  ({ api, slug }, id) => api.cancelBulkRetry(slug, id),
);

export const bulkRetryPause = controlling(
  "pause",
  "Sends nothing more until it is resumed; what is under way goes on.",
  ({ api, slug }, id) => api.pauseBulkRetry(slug, id),
);

export const bulkRetryResume = controlling(
  "resume",
  "Goes on with a paused or blocked one, which gets its time anew.",
  ({ api, slug }, id) => api.resumeBulkRetry(slug, id),
);
