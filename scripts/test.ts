import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Affected, affectedLine } from "./test/affected.ts";
import { parseArguments, type TestArguments, usage } from "./test/arguments.ts";
import type { JournalLine } from "./test/journal.ts";
import { affectedSince } from "./test/repository.ts";
import { runStep } from "./test/run-step.ts";
import { startInTurn } from "./test/start-in-turn.ts";
import { budgetMinutes, fileBudgetSeconds, type Step, withOneRun } from "./test/steps.ts";
import { slowestFiles, summaryLine, type Tally } from "./test/tally.ts";

const slowestShown = 10;
const checksAtOnce = 2;

const given = readArguments();
const affected = findAffected();
const files = affected?.everythingBecause === undefined ? affected?.tests : undefined;
if (affected !== undefined) console.log(affectedLine(affected));
const folder = mkdtempSync(join(tmpdir(), "svc-test-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const startedAt = performance.now();
const tallies: Tally[] = [];
const journal: JournalLine[] = [];
const steps = withOneRun(given.steps);
const run = async (step: Step) => {
  const stepStartedAt = performance.now();
  const journalFile = join(folder, `${steps.indexOf(step)}.jsonl`);
  const result = await runStep(step, { isEverything: given.isEverything, files, journalFile });
  return { ...result, seconds: secondsSince(stepStartedAt) };
};
const checks = startInTurn(
  steps.filter(({ kind }) => kind === "check").map((step) => () => run(step)),
  checksAtOnce,
);
for (const [index, step] of steps.entries()) {
  console.log(`\n== ${step.name}`);
  const result = await (checks[index] ?? run(step));
  process.stdout.write(result.output);
  tallies.push(result.tally);
  journal.push(...result.journal);
  const verdict = result.tally.failed.length === 0 ? "ok" : "FAILED";
  console.log(`== ${step.name}: ${verdict}, ${summaryLine([result.tally])}, ${result.seconds} s`);
}

print(
  "skipped",
  tallies.flatMap(({ skipped }) => skipped),
);
print("slowest files", slowestFiles(journal, { count: slowestShown, budgetSeconds: fileBudgetSeconds }));
const failed = tallies.flatMap((tally) => tally.failed);
print("failed", failed);
console.log(`\n${given.steps.length} steps in ${secondsSince(startedAt)} s`);
if (performance.now() - startedAt > budgetMinutes * 60_000)
  console.log(`This exceeds the budget of ${budgetMinutes} minutes on two cores.`);
console.log(summaryLine(tallies));
process.exitCode = failed.length > 0 ? 1 : 0;

function readArguments(): TestArguments {
  try {
    return parseArguments(process.argv.slice(2));
  } catch (fault) {
    console.error(`${(fault as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function findAffected(): Affected | undefined {
  if (given.changedSince === undefined) return undefined;
  try {
    return affectedSince(join(import.meta.dirname, ".."), given.changedSince);
  } catch (fault) {
    console.error(`couldn't list the changes since ${given.changedSince}: ${(fault as Error).message}`);
    process.exit(2);
  }
}

function print(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

function secondsSince(then: number): string {
  return ((performance.now() - then) / 1000).toFixed(1);
}
