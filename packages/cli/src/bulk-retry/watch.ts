import type { BulkRetryRequest } from "@svc/client";
import { asking, type Connection } from "../api/connect.ts";
import { follow } from "../api/follow.ts";
import type { Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

/** A request of which nothing more comes by itself: finished, or waiting for somebody. */
const isStill = ({ status }: BulkRetryRequest): boolean => status !== "in_progress";

/** Follows a request to its end, or until somebody has to resume it; prints it and gives the exit code. */
export async function watchBulkRetry(
  { slug, id, asJson }: { readonly slug: string; readonly id: string; readonly asJson: boolean },
  connection: Connection,
  terminal: Terminal,
): Promise<number> {
  using progress = startProgress("retrying", terminal);
  let seen = "";
  const request = await asking(
    connection,
    () =>
      follow(() => connection.api.getBulkRetry(slug, id), {
        isDone: isStill,
        onRead(read) {
          const { total, unobserved } = read.counts;
          progress.show(total - unobserved, total, troublesOf(read));
          const counts = JSON.stringify(read.counts);
          const hasChanged = counts !== seen;
          seen = counts;
          return hasChanged;
        },
      }),
    { slug, what: `bulk retry request ${id}` },
  );
  printBulkRetry(request, { asJson, terminal });
  return request.status === "succeeded" || request.status === "no_match" ? exitCodes.done : exitCodes.failed;
}

const troublesOf = ({ counts }: BulkRetryRequest): string[] => [
  ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
  ...(counts.unknown > 0 ? [`${counts.unknown} unknown`] : []),
];

/** One line, or one JSON document; and on the other stream what can be done about it. */
export function printBulkRetry(
  request: BulkRetryRequest,
  { asJson, terminal }: { readonly asJson: boolean; readonly terminal: Terminal },
): void {
  const { id, status, counts } = request;
  if (asJson) terminal.out(jsonText(request));
  else {
    const { total, succeeded, failed, unknown, unobserved } = counts;
    const facts = [`${succeeded} succeeded`, `${failed} failed`, `${unknown} unknown`, `${unobserved} to come`];
    terminal.out(`${id}  ${status}  ${total} tasks: ${facts.join(", ")}`);
  }
  const reason = request.blocked_reason == null ? "" : `: ${inOneLine(request.blocked_reason)}`;
  if (status === "blocked" || status === "paused") {
    terminal.err(`svc: it is ${status}${reason}; svc bulk-retry resume ${id} goes on`);
  }
}
