/** Size of a run: `quick` takes about 8 minutes for all suites on two cores, `full` reaches the row counts of the stated targets. */
export type BenchMode = "quick" | "standard" | "full";

/** One measured figure against its limit. Built by `atLeast`, `atMost` and `note`, so that ratio and pass cannot disagree. */
export interface BenchRow {
  readonly name: string;
  readonly figure: number;
  readonly unit: string;
  /** The reference for the figure, in the same unit: measured in the same run (a bare loop, COPY) or stated (25 ms). */
  readonly limit: number | null;
  /** Set when the limit is a time or rate stated for the reference machine: see `onThisMachine`. */
  readonly isStated?: true;
  /** figure / limit. */
  readonly ratio: number | null;
  readonly target: number | null;
  readonly bound: "min" | "max" | null;
  readonly pass: boolean;
}

export interface BenchContext {
  readonly mode: BenchMode;
  /** Empty folder of this suite, removed after it. */
  readonly scratchDir: string;
  /** Aborts when the run is interrupted or the suite is out of time; pass it to long loops. */
  readonly signal: AbortSignal;
  /** Prints progress on stderr. */
  log(message: string): void;
  /** Admin URL of a real PostgreSQL, which starts on the first call and which the harness stops at the end of the run. */
  postgres(): Promise<string>;
}

/** Every suite file exports one of these as `suite` and has its line in suites.ts. */
export interface BenchSuite {
  readonly name: string;
  /** Description for the list of suites. */
  readonly about: string;
  /** Free disk space that the suite needs in each mode, in bytes; the run is refused when less is free. */
  readonly diskBytes: Readonly<Record<BenchMode, number>>;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}

type Bound = {
  /** Target for figure / limit; default 1. */
  readonly target?: number;
} & (
  | { readonly limit: number }
  /** A stated time or rate, which `onThisMachine` scales for slow machines. */
  | { readonly stated: number }
);

const row = (figures: Pick<BenchRow, "name" | "figure" | "unit" | "bound">, bound: Bound): BenchRow => {
  const { target = 1 } = bound;
  if ("stated" in bound) return { ...held(figures, bound.stated, target), isStated: true };
  return held(figures, bound.limit, target);
};

function held(figures: Pick<BenchRow, "name" | "figure" | "unit" | "bound">, limit: number, target: number): BenchRow {
  const ratio = figures.figure / limit;
  return { ...figures, limit, ratio, target, pass: figures.bound === "min" ? ratio >= target : ratio <= target };
}

/** Scales the stated limit of a row for a machine that is this many times slower. */
export function onThisMachine(given: BenchRow, slowness: number): BenchRow {
  const { name, figure, unit, bound, limit, target } = given;
  if (given.isStated === undefined || limit === null || target === null) return given;
  return held({ name, figure, unit, bound }, bound === "min" ? limit / slowness : limit * slowness, target);
}

/** A row that passes when figure / limit reaches the target: rates. */
export const atLeast = (name: string, figure: number, unit: string, bound: Bound): BenchRow =>
  row({ name, figure, unit, bound: "min" }, bound);

/** A row that passes when figure / limit stays within the target: times, memory, cost. */
export const atMost = (name: string, figure: number, unit: string, bound: Bound): BenchRow =>
  row({ name, figure, unit, bound: "max" }, bound);

/** A row that is printed but not judged. */
export const note = (name: string, figure: number, unit: string): BenchRow => ({
  name,
  figure,
  unit,
  limit: null,
  ratio: null,
  target: null,
  bound: null,
  pass: true,
});
