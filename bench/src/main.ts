import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { endBrains } from "./harness/processes.ts";
import { type BenchReport, isPassed, type SuiteResult, tableOf, timesOf } from "./harness/report.ts";
import { duringRun, pickNamed, resultsFolder, runSuite } from "./harness/run-suite.ts";
import type { BenchMode } from "./harness/suite.ts";
import { type SuiteEntry, suites } from "./suites.ts";

/** Time limit of each suite. Only an error reaches it: no suite fails for being slow, and none delays the others. */
const suiteBoundMs: Readonly<Record<BenchMode, number>> = {
  quick: 10 * 60_000,
  standard: 60 * 60_000,
  full: 6 * 60 * 60_000,
};

process.exitCode = await main();

async function main(): Promise<number> {
  const { mode, chosen } = readCommandLine();
  const results: SuiteResult[] = [];
  const isInterrupted = await duringRun(async (shared) => {
    for (const { name, load } of chosen) {
      if (shared.signal.aborted) break;
      console.error(`== ${name} (${mode})`);
      const result = await runSuite(await load(), { ...shared, mode, suiteBudgetMs: suiteBoundMs[mode] });
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
  console.log(timesOf(results));
  const file = await write(report);
  const isClean = !isInterrupted && isPassed(report);
  console.log(`${isClean ? "all targets reached" : "TARGETS MISSED"}; written to ${relative(process.cwd(), file)}`);
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
    // npm turns `npm run bench --quick`, without `--` before it, into an npm setting.
    const isQuick = values.quick || process.env.npm_config_quick === "true";
    const isFull = values.full || process.env.npm_config_full === "true";
    if (isQuick && isFull) throw new Error("--quick and --full are mutually exclusive");
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
