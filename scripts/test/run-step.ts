import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type JournalLine, journalVariable, readLines, underWay } from "./journal.ts";
import { oneSidedStatements, readNotes, statementsProject, statementsVariable } from "./statements.ts";
import type { Step } from "./steps.ts";
import { type ExitCode, type Tally, tallyCheck, tallyStatements, tallyVitest } from "./tally.ts";

const root = join(import.meta.dirname, "../..");

/** The environment variable of a run with `--everything`. */
const everythingVariable = "SVC_TEST_EVERYTHING";

/** How long a process may be silent before it counts as hanging, in milliseconds. */
export interface SilenceBounds {
  /** Until a check ends, or a project starts its first file, after installing and starting services. */
  readonly begin: number;
  /** Between two tests; longer than the time limit of any test. */
  readonly tests: number;
  /** Between the last test and the exit of the process, which a native thread can block forever. */
  readonly end: number;
}

export const silenceBounds: SilenceBounds = { begin: 15 * 60_000, tests: 5 * 60_000, end: 90_000 };
const lookMs = 1000;
const killMs = 15_000;

export interface StepResult {
  readonly tally: Tally;
  readonly journal: readonly JournalLine[];
  /** A check's output; empty for vitest, which writes directly to the terminal. */
  readonly output: string;
}

export interface StepOptions {
  /** The test files to run; undefined for all. Checks always run. */
  readonly files: readonly string[] | undefined;
  readonly isEverything: boolean;
  readonly journalFile: string;
  readonly bounds?: SilenceBounds;
}

/** Runs a step until it ends or is silent for too long; its results until then are counted. */
export async function runStep(step: Step, options: StepOptions): Promise<StepResult> {
  const { journalFile, files } = options;
  const nothing = { tally: { passed: 0, failed: [], skipped: [] }, journal: [], output: "" };
  if (step.kind === "vitest" && files?.length === 0) return nothing;
  const args = step.kind === "vitest" ? [...step.args, ...vitestOptions(files)] : step.args;
  const notesFolder = notesFolderOf(step, options);
  const { exitCode, output } = await execute({ ...step, args }, { ...options, notesFolder });
  const journal = readLines(readText(journalFile));
  if (step.kind === "check") return { tally: tallyCheck(step.name, exitCode), journal, output };
  const isNoneOfThese = files !== undefined && exitCode === 0 && !journal.some(({ kind }) => kind === "test");
  if (isNoneOfThese) return nothing;
  const tally = tallyVitest({ journal, exitCode, projects: files === undefined ? step.projects : [] });
  if (notesFolder === null) return { tally, journal, output };
  return { tally: tallyStatements(tally, () => oneSidedStatements(readNotes(notesFolder))), journal, output };
}

/** A folder for the statements that a run records; null for a run that omits tests or a database. */
function notesFolderOf(step: Step, { files, journalFile }: StepOptions): string | null {
  const isWhole = files === undefined && process.env.DIALECTS === undefined;
  if (!step.projects.includes(statementsProject) || !isWhole) return null;
  const folder = `${journalFile}.statements`;
  mkdirSync(folder);
  return folder;
}

function vitestOptions(files: readonly string[] | undefined): string[] {
  return [
    "--reporter=default",
    `--reporter=${join(import.meta.dirname, "journal-reporter.ts")}`,
    ...(files === undefined ? [] : ["--passWithNoTests", ...files]),
  ];
}

async function execute(
  step: Step,
  { journalFile, isEverything, notesFolder, bounds = silenceBounds }: StepOptions & { notesFolder: string | null },
): Promise<{ exitCode: ExitCode; output: string }> {
  const bin = join(root, "node_modules", ".bin");
  const child = spawn(step.command, step.args, {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
      CI: process.env.CI ?? "true",
      NODE_ENV: "test",
      ...step.env,
      [journalVariable]: journalFile,
      ...(isEverything && { [everythingVariable]: "1" }),
      // A run inside a test must not write to the folder of the outer run.
      [statementsVariable]: notesFolder ?? undefined,
    },
    stdio: step.kind === "check" ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  let isSilent = false;
  let journalBytes = 0;
  let changedAt = performance.now();
  let bound = bounds.begin;
  const watching = setInterval(
    () => {
      const bytes = statSync(journalFile, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes !== journalBytes) {
        journalBytes = bytes;
        changedAt = performance.now();
        bound = readLines(readText(journalFile).slice(-4000)).at(-1)?.kind === "over" ? bounds.end : bounds.tests;
      }
      if (isSilent || performance.now() - changedAt <= bound) return;
      isSilent = true;
      console.log(`${step.name} was silent for ${bound / 1000} s and was ended; its results so far count`);
      for (const name of underWay(readLines(readText(journalFile)))) console.log(`  running: ${name}`);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), killMs).unref();
    },
    Math.min(lookMs, bounds.end),
  );
  // The step gets a signal and time to stop its own services.
  const interrupt = (signal: NodeJS.Signals) => {
    child.kill(signal);
    child.once("exit", () => process.exit(130));
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("error", (fault) => {
    console.log(`couldn't start ${step.command}: ${fault.message}`);
    resolve(null);
  });
  child.once("close", (code) => resolve(code));
  const exitCode = await promise;
  clearInterval(watching);
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  return { exitCode: isSilent ? "silent" : exitCode, output };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
