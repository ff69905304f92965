import { type JournalLine, underWay } from "./journal.ts";

/** The results of one step. */
export interface Tally {
  readonly passed: number;
  /** Full names of the failed tests. */
  readonly failed: readonly string[];
  /** Full names of the skipped tests, with the reason if there is one. */
  readonly skipped: readonly string[];
}

/** Null for a process that a signal ended, "silent" for one that was ended because it made no progress. */
export type ExitCode = number | null | "silent";

export interface VitestRun {
  readonly journal: readonly JournalLine[];
  readonly exitCode: ExitCode;
  /** Each project must have run a test. */
  readonly projects: readonly string[];
}

/**
 * Counts a vitest run. A file that could not be loaded, an error outside all tests, an unfinished test and an unfinished run count as
 * failures, so that a broken run never counts as clean.
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
      failed.push(`${line.file}: outside its tests: ${line.fault ?? "a hook failed"}`);
    if (line.kind === "over") failed.push(...line.errors.map((error) => `outside the tests: ${error}`));
  }
  const isOver = journal.some(({ kind }) => kind === "over");
  if (!isOver) failed.push(...underWay(journal).map((name) => `${name}: did not end`));
  const tested = new Set(journal.map((line) => (line.kind === "test" ? line.project : null)));
  if (isOver) failed.push(...projects.filter((name) => !tested.has(name)).map((name) => `${name}: no tests ran`));
  // A process that only failed to exit, because of a blocked thread, has already reported everything.
  const isClean = exitCode === 0 || (exitCode === "silent" && isOver);
  if (!isClean && failed.length === 0) failed.push(`vitest ended with ${exitCode} without a failed test`);
  return { passed, failed, skipped };
}

/** The check that all statements ran on both databases counts as one test, in a run that is otherwise clean. */
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

/** The last line of the run. */
export function summaryLine(tallies: readonly Tally[]): string {
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed.length, 0);
  const skipped = tallies.reduce((sum, tally) => sum + tally.skipped.length, 0);
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** The slowest files with their seconds, and all others over the budget. */
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
