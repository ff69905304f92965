import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "@svc/testkit";
import { slownessNow } from "./machine.ts";
import type { SuiteResult } from "./report.ts";
import { type BenchContext, type BenchMode, type BenchSuite, onThisMachine } from "./suite.ts";

export interface HarnessOptions {
  readonly mode: BenchMode;
  /** Folder for the suites' scratch data, on the disk to measure. */
  readonly scratchRoot: string;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  readonly postgres: () => Promise<string>;
  /** How many times slower this machine is than the reference machine. */
  readonly slowness: () => number;
  /** Time limit of each suite in milliseconds. */
  readonly suiteBudgetMs: number;
}

export const resultsFolder = join(import.meta.dirname, "../../results");
/** Stays free in addition to a suite's needs, so that a measurement never fills the disk. */
const reserveBytes = 1 << 30;

/** Runs one suite in its own folder. Never throws: errors are part of the result. */
export async function runSuite(suite: BenchSuite, options: HarnessOptions): Promise<SuiteResult> {
  const startedAt = performance.now();
  const result = (rows: SuiteResult["rows"], fault?: string): SuiteResult => ({
    suite: suite.name,
    seconds: (performance.now() - startedAt) / 1000,
    rows,
    ...(fault === undefined ? {} : { fault }),
  });
  await mkdir(options.scratchRoot, { recursive: true });
  const shortage = await diskShortage(options.scratchRoot, suite.diskBytes[options.mode]);
  if (shortage) return result([], shortage);

  const before = options.slowness();
  const scratchDir = await mkdtemp(join(options.scratchRoot, `${suite.name}-`));
  const budget = AbortSignal.timeout(options.suiteBudgetMs);
  const signal = AbortSignal.any([options.signal, budget]);
  const context: BenchContext = {
    mode: options.mode,
    scratchDir,
    signal,
    log: (message) => options.log(`${suite.name}: ${message}`),
    postgres: options.postgres,
  };
  try {
    const rows = await Promise.race([suite.run(context), aborted(signal)]);
    const slowness = (before + options.slowness()) / 2;
    if (slowness > 1) context.log(`stated times are multiplied by ${slowness.toFixed(2)} for this machine`);
    return result(rows.map((row) => onThisMachine(row, slowness)));
  } catch (fault) {
    if (budget.aborted) return result([], `not finished within ${options.suiteBudgetMs / 1000} s`);
    if (options.signal.aborted) return result([], "interrupted");
    return result([], fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
  } finally {
    await rm(scratchDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function diskShortage(folder: string, wantedBytes: number): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= wantedBytes + reserveBytes) return undefined;
  return `needs ${gigabytes(wantedBytes + reserveBytes)} GB of free disk space, but only ${gigabytes(freeBytes)} GB are free`;
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);

/** Shared by the suites of a run: its abort signal, and a PostgreSQL that starts on first use. */
export async function duringRun<T>(
  work: (shared: Omit<HarnessOptions, "mode" | "suiteBudgetMs">) => Promise<T>,
): Promise<T> {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => interrupt.abort(new Error("interrupted")));
  let server: Promise<PostgresServer> | undefined;
  try {
    return await work({
      scratchRoot: process.env.SVC_BENCH_SCRATCH ?? join(resultsFolder, "scratch"),
      signal: interrupt.signal,
      log: (message) => console.error(`   ${message}`),
      slowness: slownessNow,
      async postgres() {
        server ??= startPostgres();
        return (await server).adminUrl;
      },
    });
  } finally {
    await (await server)?.stop();
    // A suite that ignored its signal must not keep the process alive.
    setTimeout(() => process.exit(), 5_000).unref();
  }
}

/** The suites named on the command line, or all. @throws for an unknown name. */
export function pickNamed<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}`);
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** A suite that ignores its signal is abandoned: the process ends after the report. */
async function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}
