import type { BulkRetryRequest } from "@svc/client";
import { asking, openProject, projectOptions, sessionAsks } from "../api/connect.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { wholeNumber } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";
import { jsonText, tableOf } from "../terminal/printed.ts";

const options = {
  limit: { type: "string", value: "N", help: "at most so many, newest first, up to 500 (default 50)" },
  cursor: { type: "string", value: "CURSOR", help: "go on where a list ended" },
  json: { type: "boolean", help: "one JSON document: items and next_cursor" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const bulkRetryList: Command = {
  usage: ["bulk-retry list [--limit N] [--cursor CURSOR] [--json]"],
  options,
  details: ["Lists the bulk retries of a project, whoever began them.", sessionAsks],
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    const query = {
      limit: wholeNumber("limit", values.limit ?? "50", { min: 1, max: 500 }),
      ...(values.cursor !== undefined && { cursor: values.cursor }),
    };
    const { connection, slug } = await openProject(values, terminal, { needsSession: true });
    const page = await asking(connection, () => connection.api.listBulkRetries(slug, query), { slug });
    if (values.json === true) terminal.out(jsonText(page));
    else {
      if (page.items.length > 0) for (const line of tableOf(page.items, columns)) terminal.out(line);
      else terminal.err("svc: there is no bulk retry");
      if (page.next_cursor !== null) terminal.err(`svc: there are more: --cursor ${page.next_cursor}`);
    }
    return exitCodes.done;
  },
};

const columns = {
  id: ({ id }: BulkRetryRequest) => id,
  status: ({ status }: BulkRetryRequest) => status,
  tasks: ({ counts }: BulkRetryRequest) => counts.total,
  succeeded: ({ counts }: BulkRetryRequest) => counts.succeeded,
  failed: ({ counts }: BulkRetryRequest) => counts.failed,
  unknown: ({ counts }: BulkRetryRequest) => counts.unknown,
  "to come": ({ counts }: BulkRetryRequest) => counts.unobserved,
  created: (request: BulkRetryRequest) => request.created_at,
};
