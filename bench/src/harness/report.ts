import type { BenchMode, BenchRow } from "./suite.ts";

/** The result of one suite: its rows, or why it has none. */
export interface SuiteResult {
  readonly suite: string;
  readonly seconds: number;
  readonly rows: readonly BenchRow[];
  /** Set when the suite threw, ran out of time, or was interrupted. */
  readonly fault?: string;
}

/** The document written to bench/results. */
export interface BenchReport {
  readonly at: string;
  readonly mode: BenchMode;
  readonly machine: {
    readonly cores: number;
    readonly memoryGb: number;
    readonly platform: string;
    readonly node: string;
  };
  readonly suites: readonly SuiteResult[];
}

/** A suite that failed or has no judged rows never passes. */
export function isPassed({ suites }: Pick<BenchReport, "suites">): boolean {
  return (
    suites.length > 0 && suites.every(({ fault, rows }) => !fault && rows.length > 0 && rows.every(({ pass }) => pass))
  );
}

const columns = ["", "figure", "limit", "ratio", "target", ""] as const;

/** One line per row, grouped by suite; the ratio against its target decides. */
export function tableOf(suites: readonly SuiteResult[]): string {
  const lines: string[] = [];
  for (const { suite, seconds, rows, fault } of suites) {
    const cells = [[...columns], ...rows.map(cellsOf)];
    const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
    lines.push(`${suite} (${seconds.toFixed(1)} s)`);
    for (const row of cells) {
      lines.push(
        `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`.trimEnd(),
      );
    }
    if (fault) lines.push(`  FAULT ${fault}`);
    else if (rows.length === 0) lines.push("  FAULT the suite returned no rows");
    lines.push("");
  }
  return lines.join("\n");
}

/** The time shares of a run, in one line. */
export function timesOf(suites: readonly SuiteResult[]): string {
  const whole = suites.reduce((sum, { seconds }) => sum + seconds, 0);
  const shares = suites.map(
    ({ suite, seconds }) => `${suite} ${seconds.toFixed(0)} s (${((seconds / whole) * 100).toFixed(0)} %)`,
  );
  return `${whole.toFixed(0)} s in total: ${shares.join(", ")}`;
}

function cellsOf({ name, figure, unit, limit, ratio, target, bound, pass }: BenchRow): string[] {
  return [
    name,
    `${amount(figure)} ${unit}`,
    limit === null ? "" : `${amount(limit)} ${unit}`,
    ratio === null ? "" : ratio.toFixed(2),
    target === null ? "" : `${bound === "min" ? ">=" : "<="} ${target.toFixed(2)}`,
    bound === null ? "" : pass ? "ok" : "MISSED",
  ];
}

/** Three significant digits for small figures, whole numbers with thousands groups for large ones. */
function amount(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}
