import { type BulkRetryRequest, plural } from "@svc/client";
import { callService, type Project } from "../api/connect.ts";
import { follow } from "../api/follow.ts";
import type { OptionValues, Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import type { jsonOption } from "../command-line/option-values.ts";
import { inOneLine, printResult } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

type Given = OptionValues<typeof jsonOption>;

/** Follows a request until it finishes or must be resumed, prints it and returns the exit code. */
export async function watchBulkRetry(id: string, given: Given, project: Project, terminal: Terminal): Promise<number> {
  using progress = startProgress("retrying", terminal);
  let seen = "";
  const onRead = ({ counts, sealing }: BulkRetryRequest) => {
    if (sealing === null) progress.show(counts.total - counts.unobserved, counts.total, problemsOf(counts));
    else progress.show(0, null, [`searching, ${plural(sealing.found, "task")} found so far`]);
    const before = seen;
    seen = JSON.stringify([counts, sealing]);
    return seen !== before;
  };
  const isDone = ({ status }: BulkRetryRequest) => status !== "in_progress" && status !== "sealing";
  const request = await callService(
    project,
    ({ api, slug }) => follow(() => api.getBulkRetry(slug, id), { isDone, onRead }),
    `bulk retry request ${id}`,
  );
  printBulkRetry(request, given, terminal);
  return request.status === "succeeded" || request.status === "no_match" ? exitCodes.done : exitCodes.failed;
}

const problemsOf = ({ failed, unknown }: BulkRetryRequest["counts"]): string[] => [
  ...(failed > 0 ? [`${failed} failed`] : []),
  ...(unknown > 0 ? [`${unknown} unknown`] : []),
];

/** Prints the request to standard output, and what to do next to standard error. */
export function printBulkRetry(request: BulkRetryRequest, given: Given, terminal: Terminal): void {
  const { id, status, counts, blocked_reason: blocked } = request;
  const { total, succeeded, failed, unknown, unobserved } = counts;
  const facts = `${succeeded} succeeded, ${failed} failed, ${unknown} unknown, ${unobserved} remaining`;
  printResult(terminal, given, request, [`${id}  ${status}  ${plural(total, "task")}: ${facts}`]);
  const reason = blocked == null ? "" : `: ${inOneLine(blocked)}`;
  if (status === "refused") terminal.err(`svc: refused${reason}. Narrow the filter, or raise --max`);
  if (status !== "blocked" && status !== "paused") return;
  terminal.err(`svc: ${status}${reason}. Continue with svc bulk-retry resume ${id}`);
}
