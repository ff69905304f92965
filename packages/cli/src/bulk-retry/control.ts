import type { BulkRetryRequest } from "@svc/client";
import { asking, type Connection, openProject, projectOptions, sessionAsks } from "../api/connect.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { requireWord } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";
import { printBulkRetry, watchBulkRetry } from "./watch.ts";

const options = {
  json: { type: "boolean", help: "one JSON document" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const bulkRetryWatch: Command = {
  usage: ["bulk-retry watch REQUEST_ID [--json]"],
  options,
  details: [
    "Follows a bulk retry to its end, or until it is paused or blocked. Ends with 1 unless every task was retried.",
    sessionAsks,
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const id = requireWord(positionals, "bulk retry by its id");
    const { connection, slug } = await openProject(values, terminal, { needsSession: true });
    return watchBulkRetry({ slug, id, asJson: values.json === true }, connection, terminal);
  },
};

type Control = (connection: Connection, slug: string, id: string) => Promise<BulkRetryRequest>;

const controlling = (name: string, details: string, control: Control): Command => ({
  usage: [`bulk-retry ${name} REQUEST_ID [--json]`],
  options,
  details: [details, sessionAsks],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const id = requireWord(positionals, "bulk retry by its id");
    const { connection, slug } = await openProject(values, terminal, { needsSession: true });
    const named = { slug, what: `bulk retry request ${id}` };
    const request = await asking(connection, () => control(connection, slug, id), named);
    printBulkRetry(request, { asJson: values.json === true, terminal });
    return exitCodes.done;
  },
});

export const bulkRetryShow = controlling("show", "Tells how far a bulk retry has come.", ({ api }, slug, id) =>
  api.getBulkRetry(slug, id),
);

export const bulkRetryPause = controlling(
  "pause",
  "Sends nothing more until it is resumed; what is under way goes on.",
  ({ api }, slug, id) => api.pauseBulkRetry(slug, id),
);

export const bulkRetryResume = controlling(
  "resume",
  "Goes on with a paused or blocked one, which gets its time anew.",
  ({ api }, slug, id) => api.resumeBulkRetry(slug, id),
);
