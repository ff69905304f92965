import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { endBrains } from "./harness/processes.ts";
import { type BenchReport, isPassed, type SuiteResult, tableOf } from "./harness/report.ts";
import { duringRun, pickNamed, resultsFolder, runSuite } from "./harness/run-suite.ts";
import type { BenchMode } from "./harness/suite.ts";
import { type SuiteEntry, suites } from "./suites.ts";

/** Quick ends within 5 minutes over all suites. */
const wholeRunMs: Readonly<Record<BenchMode, number>> = { quick: 285_000, standard: 45 * 60_000, full: 6 * 3_600_000 };

/** Suites differ in length, so one may take what three have on average. */
const shares = 3;

process.exitCode = await main();

function budgetOf(leftMs: number, suitesLeft: number): number {
  return Math.max(1000, Math.floor((leftMs * Math.min(shares, suitesLeft)) / suitesLeft));
}

async function main(): Promise<number> {
  const { mode, chosen } = readCommandLine();
  const results: SuiteResult[] = [];
  const deadline = performance.now() + wholeRunMs[mode];
  const isInterrupted = await duringRun(async (shared) => {
    for (const [index, entry] of chosen.entries()) {
      if (shared.signal.aborted) break;
      console.error(`== ${entry.name} (${mode})`);
      const suiteBudgetMs = budgetOf(deadline - performance.now(), chosen.length - index);
      const result = await runSuite(await entry.load(), { ...shared, mode, suiteBudgetMs });
      await endBrains();
      results.push(result);
      console.log(tableOf([result]));
    }
    return shared.signal.aborted;
  });

  const report: BenchReport = {
    at: new Date().toISOString(),
    mode,
    machine: {
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 1e9),
      platform: `${process.platform}-${process.arch}`,
      node: process.versions.node,
    },
    suites: results,
  };
  const file = await write(report);
  const isClean = !isInterrupted && isPassed(report);
  console.log(`${isClean ? "every target reached" : "TARGETS MISSED"}; written to ${relative(process.cwd(), file)}`);
  return isInterrupted ? 130 : isClean ? 0 : 1;
}

function readCommandLine(): { mode: BenchMode; chosen: readonly SuiteEntry[] } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { quick: { type: "boolean" }, full: { type: "boolean" }, list: { type: "boolean" } },
    });
    if (values.list) {
      for (const { name } of suites) console.log(name);
      process.exit(0);
    }
    // `npm run bench --quick`, without the `--` before it, reaches us as an npm setting.
    const isQuick = values.quick || process.env.npm_config_quick === "true";
    const isFull = values.full || process.env.npm_config_full === "true";
    if (isQuick && isFull) throw new Error("--quick and --full exclude each other");
    return { mode: isQuick ? "quick" : isFull ? "full" : "standard", chosen: pickNamed(suites, positionals) };
  } catch (fault) {
    console.error(`${(fault as Error).message}\nusage: npm run bench -- [suite...] [--quick | --full | --list]`);
    console.error(`suites: ${suites.map(({ name }) => name).join(", ")}`);
    process.exit(2);
  }
}

async function write(report: BenchReport): Promise<string> {
  await mkdir(resultsFolder, { recursive: true });
  const file = join(resultsFolder, `${report.at.replaceAll(":", "-")}.json`);
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
}
