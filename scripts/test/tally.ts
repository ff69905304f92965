/** What one step found. */
export interface Tally {
  readonly passed: number;
  /** Full names of the failed tests. */
  readonly failed: readonly string[];
  /** Full names of the skipped tests, with the reason where one was given. */
  readonly skipped: readonly string[];
}

/** The part of vitest's JSON report that is read. */
interface VitestReport {
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly AssertionReport[];
}

interface AssertionReport {
  readonly status: string;
  readonly fullName: string;
  readonly meta?: { readonly reason?: string };
}

/** Null for a process that was ended, "stuck" for one that was ended because it had reported and went on. */
export type ExitCode = number | null | "stuck";

export interface VitestRun {
  /** Text of vitest's JSON report. */
  readonly report: string | undefined;
  /** What `outside-errors.ts` wrote. */
  readonly outsideErrors: string | undefined;
  readonly exitCode: ExitCode;
  readonly project: string;
}

/**
 * Counts a vitest run. A file that could not be loaded, each error outside of every test, and a run without a report count as failures:
 * a run that ended badly can never count as clean.
 */
export function tallyVitest({ report: reportText, outsideErrors, exitCode, project }: VitestRun): Tally {
  const report = parseReport(reportText);
  if (!report)
    return { passed: 0, failed: [`${project}: vitest ended with ${exitCode} and left no report`], skipped: [] };
  let passed = 0;
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const file of report.testResults) {
    const failedBefore = failed.length;
    for (const { status, fullName, meta } of file.assertionResults) {
      if (status === "passed") passed += 1;
      else if (status === "failed") failed.push(`${file.name}: ${fullName}`);
      else skipped.push(`${fullName}${meta?.reason ? ` (${meta.reason})` : ""}`);
    }
    if (file.status === "failed" && failed.length === failedBefore) failed.push(`${file.name}: could not be run`);
  }
  if (passed + failed.length === 0) failed.push(`${project}: no test was run`);
  const outside = parseErrors(outsideErrors);
  for (const error of outside ?? []) failed.push(`${project}: outside of the tests: ${error}`);
  const isClean = exitCode === 0 || (exitCode === "stuck" && outside !== undefined);
  if (!isClean && failed.length === 0) failed.push(`${project}: an error outside of the tests (exit code ${exitCode})`);
  return { passed, failed, skipped };
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

function parseReport(text: string | undefined): VitestReport | undefined {
  try {
    const report = JSON.parse(text ?? "") as VitestReport;
    return Array.isArray(report.testResults) ? report : undefined;
  } catch {
    return undefined;
  }
}

function parseErrors(text: string | undefined): readonly string[] | undefined {
  try {
    const errors = JSON.parse(text ?? "") as unknown;
    return Array.isArray(errors) ? errors.map(String) : undefined;
  } catch {
    return undefined;
  }
}
