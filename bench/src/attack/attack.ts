import type { Dialect } from "../harness/databases.ts";
import type { SuiteResult } from "../harness/report.ts";
import type { BenchContext, BenchRow, BenchSuite } from "../harness/suite.ts";

export interface AttackContext extends BenchContext {
  /** SQLite, and PostgreSQL if requested. */
  readonly dialects: readonly Dialect[];
  /** Makes generated input repeatable. */
  readonly seed: number;
}

/** An attack on the running service. Its rows are judged against its requirement. */
export interface Attack extends Pick<BenchSuite, "name" | "about"> {
  /** The requirement that the judged rows prove. */
  readonly requirement: string;
  run(context: AttackContext): Promise<readonly BenchRow[]>;
}

const counted = (row: Pick<BenchRow, "name" | "figure" | "unit" | "limit" | "bound" | "pass">): BenchRow => ({
  ...row,
  ratio: null,
  target: null,
});

/** A row that passes at 0: lost rows, wrong verdicts, leaks. */
export const none = (name: string, figure: number, unit: string): BenchRow => within(name, figure, unit, 0);

/** A row that passes when all attempts are counted. */
export const all = (name: string, figure: number, unit: string, limit: number): BenchRow =>
  counted({ name, figure, unit, limit, bound: "min", pass: limit > 0 && figure === limit });

/** A row that passes up to an absolute limit: log lines, seconds until a socket closes. */
export const within = (name: string, figure: number, unit: string, limit: number): BenchRow =>
  counted({ name, figure, unit, limit, bound: "max", pass: figure <= limit });

/** The violated rows and unfinished attacks, one line each. */
export function violationsOf(results: readonly SuiteResult[]): string[] {
  return results.flatMap(({ suite, rows, fault }) => [
    ...(fault === undefined ? [] : [`${suite}: did not finish: ${fault.split("\n")[0]}`]),
    ...(fault === undefined && rows.length === 0 ? [`${suite}: measured nothing`] : []),
    ...rows.filter(({ pass }) => !pass).map(({ name, figure, unit }) => `${suite}: ${name} (${round(figure)} ${unit})`),
  ]);
}

/** 0: all requirements met. 1: a violation or an unfinished attack. 130: interrupted. */
export function exitCodeOf(results: readonly SuiteResult[], isInterrupted: boolean): number {
  if (isInterrupted) return 130;
  return results.length === 0 || violationsOf(results).length > 0 ? 1 : 0;
}

const round = (figure: number): number => (Number.isFinite(figure) ? Number(figure.toPrecision(4)) : figure);
