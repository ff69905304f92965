import type { Terminal } from "../command-line/command.ts";

const barWidth = 24;
/** Between two lines where no person looks on. */
const lineEveryMs = 10_000;

/**
 * Tells how far a long work has come: a bar that stays in its line on a terminal. Elsewhere, for logs, a plain line every ten seconds in
 * which something changed.
 *
 * @param what goes in front, for example `retrying`.
 */
export function startProgress(what: string, terminal: Terminal, nowMs = () => performance.now()) {
  const startedAtMs = nowMs();
  let startedAt: number | undefined;
  let toldAtMs = startedAtMs;
  let told = "";
  return {
    /** `done` of `total`, and further facts such as `3 failed`; a null total is not known yet, and has no bar. */
    show(done: number, total: number | null, facts: readonly string[] = []) {
      const counts = total === null ? facts : [`${done} of ${total}`, ...facts];
      if (terminal.status !== undefined && total === null) return terminal.status(`${what}: ${counts.join(", ")}`);
      if (terminal.status !== undefined && total !== null) {
        startedAt ??= done;
        const leftSeconds = estimate({ done: done - startedAt, left: total - done, elapsedMs: nowMs() - startedAtMs });
        const end = leftSeconds === null ? [] : [`about ${spoken(leftSeconds)} left`];
        terminal.status(`${what} ${bar(done, total)} ${[...counts, ...end].join(", ")}`);
        return;
      }
      const line = `${what}: ${counts.join(", ")}`;
      if (line === told || nowMs() - toldAtMs < lineEveryMs) return;
      [told, toldAtMs] = [line, nowMs()];
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

/** Seconds that are left at the pace so far; null while there is none to speak of. */
function estimate({ done, left, elapsedMs }: { done: number; left: number; elapsedMs: number }): number | null {
  if (done <= 0 || left <= 0 || elapsedMs < 2000) return null;
  return Math.ceil((left * elapsedMs) / done / 1000);
}

const spoken = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
