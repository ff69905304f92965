import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type JournalLine, journalVariable, readLines, underWay } from "./journal.ts";
import { oneSidedStatements, readNotes, statementsProject, statementsVariable } from "./statements.ts";
import type { Step } from "./steps.ts";
import { type ExitCode, type Tally, tallyCheck, tallyStatements, tallyVitest } from "./tally.ts";

const root = join(import.meta.dirname, "../..");

/** Set for every test of a run with `--everything`. */
const everythingVariable = "SVC_TEST_EVERYTHING";

/** How long nothing may happen before a process counts as hanging, in milliseconds. Slow is not silent. */
export interface SilenceBounds {
  /** Until a check ends, or a project begins its first file: services are installed and started first. */
  readonly begin: number;
  /** Between two tests. No test has as much time. */
  readonly tests: number;
  /** Between the end of the last test and the end of the process: a native thread that cannot be joined would hold it for ever. */
  readonly end: number;
}

export const silenceBounds: SilenceBounds = { begin: 15 * 60_000, tests: 5 * 60_000, end: 90_000 };
const lookMs = 1000;
const killMs = 15_000;

export interface StepResult {
  readonly tally: Tally;
  readonly journal: readonly JournalLine[];
  /** What a check wrote; empty for vitest, which writes to the terminal while it runs. */
  readonly output: string;
}

export interface StepOptions {
  /** The only files of tests to run; undefined for all of them. Checks always run. */
  readonly files: readonly string[] | undefined;
  readonly isEverything: boolean;
  readonly journalFile: string;
  readonly bounds?: SilenceBounds;
}

/** Runs a step to its end, or until it has been silent for too long; what was run until then is counted. */
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

/** A folder for what a run notes of its statements; null for a run that leaves out tests or a database. */
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
      // A run inside of a test must not note into the folder of the run around it.
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
  const looking = setInterval(
    () => {
      const bytes = statSync(journalFile, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes !== journalBytes) {
        journalBytes = bytes;
        changedAt = performance.now();
        bound = readLines(readText(journalFile).slice(-4000)).at(-1)?.kind === "over" ? bounds.end : bounds.tests;
      }
      if (isSilent || performance.now() - changedAt <= bound) return;
      isSilent = true;
      console.log(`${step.name} has been silent for ${bound / 1000} s and is ended; what was run counts`);
      for (const name of underWay(readLines(readText(journalFile)))) console.log(`  under way: ${name}`);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), killMs).unref();
    },
    Math.min(lookMs, bounds.end),
  );
  // The services that a step started are stopped by the step itself, so it gets the signal and the time to do so.
  const interrupt = (signal: NodeJS.Signals) => {
    child.kill(signal);
    child.once("exit", () => process.exit(130));
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("error", (fault) => {
    console.log(`${step.command} does not start: ${fault.message}`);
    resolve(null);
  });
  child.once("close", (code) => resolve(code));
  const exitCode = await promise;
  clearInterval(looking);
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
