import type { Dialect } from "../harness/databases.ts";
import type { SuiteResult } from "../harness/report.ts";
import type { BenchContext, BenchRow, BenchSuite } from "../harness/suite.ts";

export interface AttackContext extends BenchContext {
  /** SQLite, and PostgreSQL when it was asked for. */
  readonly dialects: readonly Dialect[];
  /** Repeats what is generated. */
  readonly seed: number;
}

/** One attack on the running service. Its rows are held against the requirement that it names. */
export interface Attack extends Pick<BenchSuite, "name" | "about"> {
  /** The requirement that the judged rows prove, with its rule in section H of the specification. */
  readonly requirement: string;
  run(context: AttackContext): Promise<readonly BenchRow[]>;
}

const counted = (row: Pick<BenchRow, "name" | "figure" | "unit" | "limit" | "bound" | "pass">): BenchRow => ({
  ...row,
  ratio: null,
  target: null,
});

/** A row that passes when nothing of this kind was counted: lost rows, wrong verdicts, leaks. */
export const none = (name: string, figure: number, unit: string): BenchRow => within(name, figure, unit, 0);

/** A row that passes when everything that was tried is counted. */
export const all = (name: string, figure: number, unit: string, limit: number): BenchRow =>
  counted({ name, figure, unit, limit, bound: "min", pass: limit > 0 && figure === limit });

/** A row that passes up to an absolute limit, which may be held without a ratio: lines of a log, seconds until a socket closes. */
export const within = (name: string, figure: number, unit: string, limit: number): BenchRow =>
  counted({ name, figure, unit, limit, bound: "max", pass: figure <= limit });

/** The violated rows and the attacks that did not end, one line each. */
export function violationsOf(results: readonly SuiteResult[]): string[] {
  return results.flatMap(({ suite, rows, fault }) => [
    ...(fault === undefined ? [] : [`${suite}: did not end: ${fault.split("\n")[0]}`]),
    ...(fault === undefined && rows.length === 0 ? [`${suite}: measured nothing`] : []),
    ...rows.filter(({ pass }) => !pass).map(({ name, figure, unit }) => `${suite}: ${name} (${round(figure)} ${unit})`),
  ]);
}

/** 0: every requirement held. 1: a violation, or an attack that did not end. 130: interrupted. */
export function exitCodeOf(results: readonly SuiteResult[], isInterrupted: boolean): number {
  if (isInterrupted) return 130;
  return results.length === 0 || violationsOf(results).length > 0 ? 1 : 0;
}

const round = (figure: number): number => (Number.isFinite(figure) ? Number(figure.toPrecision(4)) : figure);
