import { type JournalLine, underWay } from "./journal.ts";

/** What one step found. */
export interface Tally {
  readonly passed: number;
  /** Full names of the failed tests. */
  readonly failed: readonly string[];
  /** Full names of the skipped tests, with the reason where one was given. */
  readonly skipped: readonly string[];
}

/** Null for a process that a signal ended, "silent" for one that was ended because nothing happened any more. */
export type ExitCode = number | null | "silent";

export interface VitestRun {
  readonly journal: readonly JournalLine[];
  readonly exitCode: ExitCode;
  /** Each of them must have run a test. */
  readonly projects: readonly string[];
}

/**
 * Counts a vitest run. A file that could not be loaded, each error outside of every test, a test that did not end, and a run without
 * an end count as failures: a run that ended badly can never count as clean.
 */
export function tallyVitest({ journal, exitCode, projects }: VitestRun): Tally {
  let passed = 0;
  const failed: string[] = [];
  const skipped: string[] = [];
  const failedFiles = new Set<string>();
  for (const line of journal) {
    if (line.kind === "test") {
      const name = `${line.file}: ${line.test}`;
      if (line.state === "passed") passed += 1;
      else if (line.state === "skipped") skipped.push(line.note === undefined ? name : `${name} (${line.note})`);
      else {
        failed.push(name);
        failedFiles.add(line.file);
      }
    }
    if (line.kind === "file" && line.state === "failed" && !failedFiles.has(line.file))
      failed.push(`${line.file}: outside of its tests: ${line.fault ?? "a hook failed"}`);
    if (line.kind === "over") failed.push(...line.errors.map((error) => `outside of the tests: ${error}`));
  }
  const isOver = journal.some(({ kind }) => kind === "over");
  if (!isOver) failed.push(...underWay(journal).map((name) => `${name}: did not end`));
  const tested = new Set(journal.map((line) => (line.kind === "test" ? line.project : null)));
  if (isOver) failed.push(...projects.filter((name) => !tested.has(name)).map((name) => `${name}: no test was run`));
  // A process that only could not end, because of a thread that cannot be joined, has told everything before.
  const isClean = exitCode === 0 || (exitCode === "silent" && isOver);
  if (!isClean && failed.length === 0) failed.push(`vitest ended with ${exitCode} without a failed test`);
  return { passed, failed, skipped };
}

/** That every statement was carried out on both databases counts as one test, in a run of which everything else is known to be right. */
export function tallyStatements(tally: Tally, look: () => readonly string[]): Tally {
  if (tally.failed.length > 0) return tally;
  const failed = look();
  return failed.length === 0 ? { ...tally, passed: tally.passed + 1 } : { ...tally, failed };
}

export function tallyCheck(name: string, exitCode: ExitCode): Tally {
  return exitCode === 0
    ? { passed: 1, failed: [], skipped: [] }
    : { passed: 0, failed: [`check ${name}`], skipped: [] };
}

/** The last line of the whole run. */
export function summaryLine(tallies: readonly Tally[]): string {
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed.length, 0);
  const skipped = tallies.reduce((sum, tally) => sum + tally.skipped.length, 0);
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** The files that took longest, with their seconds, and all others over the budget. */
export function slowestFiles(
  lines: readonly JournalLine[],
  { count, budgetSeconds }: { count: number; budgetSeconds: number },
): string[] {
  const isOver = (ms: number) => ms > budgetSeconds * 1000;
  return lines
    .filter((line) => line.kind === "file")
    .sort((one, other) => other.ms - one.ms)
    .filter(({ ms }, index) => index < count || isOver(ms))
    .map(({ file, ms }) => {
      const line = `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`;
      return isOver(ms) ? `${line}  warning: over the budget of ${budgetSeconds} s` : line;
    });
}
