import type { BulkRetryRequest } from "@svc/client";
import { callService, openProject, projectOptions, sessionAuthHelp } from "../api/connect.ts";
import { defineCommand } from "../command-line/command.ts";
import { listOptions, readListOptions } from "../command-line/option-values.ts";
import { printPage } from "../terminal/printed.ts";

export const bulkRetryList = defineCommand({
  usage: ["bulk-retry list [--limit N] [--cursor CURSOR] [--json]"],
  options: { ...listOptions, ...projectOptions },
  details: ["Lists the bulk retries of all users of a project.", sessionAuthHelp],
  async run({ values }, terminal) {
    const query = readListOptions(values);
    const project = await openProject(values, terminal, { needsSession: true });
    const page = await callService(project, ({ api, slug }) => api.listBulkRetries(slug, query));
    printPage(terminal, values, page, { columns, none: "no bulk retries found" });
  },
});

const columns = {
  id: ({ id }: BulkRetryRequest) => id,
  status: ({ status }: BulkRetryRequest) => status,
  tasks: ({ counts }: BulkRetryRequest) => counts.total,
  succeeded: ({ counts }: BulkRetryRequest) => counts.succeeded,
  failed: ({ counts }: BulkRetryRequest) => counts.failed,
  unknown: ({ counts }: BulkRetryRequest) => counts.unknown,
  remaining: ({ counts }: BulkRetryRequest) => counts.unobserved,
  created: (request: BulkRetryRequest) => request.created_at,
};
