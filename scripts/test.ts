import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { outsideErrorsVariable } from "./test/outside-errors.ts";
import { projectsWithinMinutes, type Step, steps } from "./test/steps.ts";
import { type ExitCode, summaryLine, type Tally, tallyCheck, tallyVitest } from "./test/tally.ts";

const root = join(import.meta.dirname, "..");
/** How long a process may take to end once its report is written: a native thread that cannot be joined would hold it for ever. */
const endWithinMs = 90_000;
const reportLookMs = 5000;
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no such step: ${unknown.join(", ")}; there are: ${steps.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const reports = mkdtempSync(join(tmpdir(), "svc-test-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));
const chosen = wanted.length === 0 ? steps : steps.filter(({ name }) => wanted.includes(name));
const startedAt = performance.now();
const tallies: Tally[] = [];
/** Time that the vitest projects so far have taken. */
let projectsMs = 0;
for (const step of chosen) tallies.push(await runStep(step));

const skipped = tallies.flatMap((tally) => tally.skipped);
if (skipped.length > 0) console.log(`\nskipped:\n${skipped.map((name) => `  ${name}`).join("\n")}`);
const failed = tallies.flatMap((tally) => tally.failed);
if (failed.length > 0) console.log(`\nfailed:\n${failed.map((name) => `  ${name}`).join("\n")}`);
console.log(`\n${chosen.length} steps in ${seconds(startedAt)} s`);
console.log(summaryLine(tallies));
process.exitCode = failed.length > 0 ? 1 : 0;

async function runStep(step: Step): Promise<Tally> {
  const stepStartedAt = performance.now();
  console.log(`\n== ${step.name}`);
  const reportFile = join(reports, `${step.name}.json`);
  const exitCode = await execute(
    step,
    step.kind === "vitest" ? [...step.args, ...vitestOptions(reportFile)] : step.args,
    reportFile,
  );
  const tally =
    step.kind === "check"
      ? tallyCheck(step.name, exitCode)
      : tallyVitest({
          report: readReport(reportFile),
          outsideErrors: readReport(outsideErrorsFile(reportFile)),
          exitCode,
          project: step.name,
        });
  const verdict = tally.failed.length === 0 ? "ok" : "FAILED";
  if (step.kind === "vitest") projectsMs += performance.now() - stepStartedAt;
  console.log(`== ${step.name}: ${verdict}, ${summaryLine([tally])}, ${seconds(stepStartedAt)} s`);
  return tally;
}

/** Projects run one after another; inside one, two files at a time even on one core, as tests mostly wait. */
function vitestOptions(reportFile: string): string[] {
  const workers = Math.min(8, Math.max(2, availableParallelism()));
  return [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    `--reporter=${join(import.meta.dirname, "test", "outside-errors.ts")}`,
    `--maxWorkers=${workers}`,
  ];
}

function outsideErrorsFile(reportFile: string): string {
  return `${reportFile}.outside`;
}

/** Gives the exit code; null when the step was ended by its bound or by a signal, "stuck" when it had reported and did not end. */
async function execute(step: Step, args: readonly string[], reportFile: string): Promise<ExitCode> {
  const bin = join(root, "node_modules", ".bin");
  const child = spawn(step.command, args, {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
      CI: process.env.CI ?? "true",
      NODE_ENV: "test",
      [outsideErrorsVariable]: outsideErrorsFile(reportFile),
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const boundMs = boundOf(step);
  const bound = setTimeout(() => {
    console.log(`${step.name} ran longer than ${(boundMs / 60_000).toFixed(1)} minutes and is ended`);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 15_000).unref();
  }, boundMs);
  let isStuck = false;
  let reportedAt: number | null = null;
  const looking = setInterval(() => {
    if (reportedAt === null) {
      if (!existsSync(reportFile)) return;
      reportedAt = performance.now();
      // The tests ran within the bound; from here on it is the end of the process that is waited for.
      clearTimeout(bound);
    } else if (!isStuck && performance.now() - reportedAt > endWithinMs) {
      isStuck = true;
      console.log(`${step.name} has written its report and does not end; its process is ended, the report counts`);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 15_000).unref();
    }
  }, reportLookMs);
  // The services that a step started are stopped by the step itself, so it gets the signal and the time to do so.
  const interrupt = (signal: NodeJS.Signals) => {
    child.kill(signal);
    child.once("exit", () => process.exit(130));
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  child.once("error", (fault) => {
    console.log(`${step.command} does not start: ${fault.message}`);
    resolve(null);
  });
  child.once("close", (code) => resolve(code));
  const exitCode = await promise;
  clearTimeout(bound);
  clearInterval(looking);
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  return isStuck ? "stuck" : exitCode;
}

/** What is ended when it runs longer, so that a process that hangs leaves the later projects their time. */
function boundOf(step: Step): number {
  if (step.kind === "check") return step.withinMinutes * 60_000;
  const later = chosen.slice(chosen.indexOf(step) + 1).filter(({ kind }) => kind === "vitest");
  const keptMinutes = later.reduce((sum, { withinMinutes }) => sum + withinMinutes, 0);
  return Math.max(step.withinMinutes * 60_000, (projectsWithinMinutes - keptMinutes) * 60_000 - projectsMs);
}

function readReport(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
      .replaceAll(`${relative("/", root)}/`, "")
      .replaceAll('"name":"/', '"name":"');
  } catch {
    return undefined;
  }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
