import type { Terminal } from "../command-line/command.ts";

const barWidth = 24;
/** Between two lines of a log. */
const lineEveryMs = 10_000;

/**
 * Shows the progress of a long operation: a progress bar on a terminal, otherwise at most one log line every ten seconds.
 *
 * @param what starts the line, for example `retrying`.
 */
export function startProgress(what: string, terminal: Terminal, nowMs = () => performance.now()) {
  const startedAtMs = nowMs();
  let startedAt: number | undefined;
  let printedAtMs = startedAtMs;
  let printed = "";
  return {
    /** Shows `done` of `total`, and further facts such as `3 failed`. A null total is not known yet and shows no bar. */
    show(done: number, total: number | null, facts: readonly string[] = []) {
      const counts = total === null ? facts : [`${done} of ${total}`, ...facts];
      if (terminal.status !== undefined && total === null) return terminal.status(`${what}: ${counts.join(", ")}`);
      if (terminal.status !== undefined && total !== null) {
        startedAt ??= done;
        const leftSeconds = estimate({ done: done - startedAt, left: total - done, elapsedMs: nowMs() - startedAtMs });
        const end = leftSeconds === null ? [] : [`about ${durationText(leftSeconds)} left`];
        terminal.status(`${what} ${bar(done, total)} ${[...counts, ...end].join(", ")}`);
        return;
      }
      const line = `${what}: ${counts.join(", ")}`;
      if (line === printed || nowMs() - printedAtMs < lineEveryMs) return;
      [printed, printedAtMs] = [line, nowMs()];
      terminal.err(line);
    },
    [Symbol.dispose]: () => terminal.status?.(""),
  };
}

function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * barWidth);
  const percent = `${Math.floor(share * 100)}%`.padStart(5);
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]${percent}`;
}

/** Estimated seconds left. Null while there is too little progress for an estimate. */
function estimate({ done, left, elapsedMs }: { done: number; left: number; elapsedMs: number }): number | null {
  if (done <= 0 || left <= 0 || elapsedMs < 2000) return null;
  return Math.ceil((left * elapsedMs) / done / 1000);
}

const durationText = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
