import type { BulkRetryRequest } from "@svc/client";
import { asking, type Project } from "../api/connect.ts";
import { follow } from "../api/follow.ts";
import type { OptionValues, Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import type { jsonOption } from "../command-line/option-values.ts";
import { inOneLine, printResult } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

type Given = OptionValues<typeof jsonOption>;

/** Follows a request until nothing more comes by itself: to its end, or until somebody has to resume it. Prints it and gives the exit code. */
export async function watchBulkRetry(id: string, given: Given, project: Project, terminal: Terminal): Promise<number> {
  using progress = startProgress("retrying", terminal);
  let seen = "";
  const onRead = ({ counts, sealing }: BulkRetryRequest) => {
    if (sealing === null) progress.show(counts.total - counts.unobserved, counts.total, troublesOf(counts));
    else progress.show(0, null, [`searching, ${sealing.found} tasks found so far`]);
    const before = seen;
    seen = JSON.stringify([counts, sealing]);
    return seen !== before;
  };
  const isDone = ({ status }: BulkRetryRequest) => status !== "in_progress" && status !== "sealing";
  const request = await asking(
    project,
    ({ api, slug }) => follow(() => api.getBulkRetry(slug, id), { isDone, onRead }),
    `bulk retry request ${id}`,
  );
  printBulkRetry(request, given, terminal);
  return request.status === "succeeded" || request.status === "no_match" ? exitCodes.done : exitCodes.failed;
}

const troublesOf = ({ failed, unknown }: BulkRetryRequest["counts"]): string[] => [
  ...(failed > 0 ? [`${failed} failed`] : []),
  ...(unknown > 0 ? [`${unknown} unknown`] : []),
];

/** One line, or one JSON document; and on the other stream what can be done about it. */
export function printBulkRetry(request: BulkRetryRequest, given: Given, terminal: Terminal): void {
  const { id, status, counts, blocked_reason: blocked } = request;
  const { total, succeeded, failed, unknown, unobserved } = counts;
  const facts = `${succeeded} succeeded, ${failed} failed, ${unknown} unknown, ${unobserved} to come`;
  printResult(terminal, given, request, [`${id}  ${status}  ${total} tasks: ${facts}`]);
  const reason = blocked == null ? "" : `: ${inOneLine(blocked)}`;
  if (status === "refused") terminal.err(`svc: refused${reason}; narrow the filter, or use --max`);
  if (status !== "blocked" && status !== "paused") return;
  terminal.err(`svc: it is ${status}${reason}; svc bulk-retry resume ${id} goes on`);
}
