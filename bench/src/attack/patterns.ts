import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { type BenchRow, note } from "../harness/suite.ts";
import { type Attack, type AttackContext, all, none, within } from "./attack.ts";

const root = join(import.meta.dirname, "../../..");

/** The test that measures all expressions of the production code on generated worst cases. */
const expressionTest = "scripts/expressions.test.ts";

/** An input that was once slow, with the function that reads it. */
export interface KnownCase {
  readonly name: string;
  /** Path from the repository root. */
  readonly module: string;
  /** The export to call, or with `use`, the export that creates the function to call. */
  readonly call: string;
  /** Source of a function that creates an input of a given length. */
  readonly make: string;
  /** Source of a function that turns the export into a function that reads the input. */
  readonly use?: string;
  readonly greatest: number;
}

const knownCases: readonly KnownCase[] = [
  {
    name: "traceback: a cause, spaces and a line separator",
    module: "packages/dashboard/src/features/tasks/detail/family/trace.ts",
    call: "readTrace",
    make: "(n) => 'Error: x\\n    at run (/srv/app.js:1:1)\\nCaused by:' + ' '.repeat(n) + 'a\\u2028a'",
    greatest: 8192,
  },
  {
    name: "traceback: one long frame",
    module: "packages/dashboard/src/features/tasks/detail/family/trace.ts",
    call: "readTrace",
    make: "(n) => '    at ' + 'a ('.repeat(n) + ':1:1'",
    greatest: 8192,
  },
  {
    name: "search terms: hyphens",
    module: "packages/dashboard/src/features/tasks/detail/failure/search-terms.ts",
    call: "sameFailureQuery",
    make: "(n) => ({ name: 'mail', exception: '-'.repeat(n) })",
    greatest: 8192,
  },
  {
    name: "task query: hyphens",
    module: "packages/client/src/task-query/parse.ts",
    call: "parseTaskQuery",
    make: "(n) => '-'.repeat(n)",
    greatest: 65_536,
  },
  {
    name: "task query: open quotation marks",
    module: "packages/client/src/task-query/parse.ts",
    call: "parseTaskQuery",
    make: "(n) => 'a:\"'.repeat(n)",
    greatest: 65_536,
  },
  {
    name: "redaction: a long word with signs",
    module: "packages/protocol/src/redaction/redactor.ts",
    call: "createRedactor",
    make: "(n) => 'a.-_@:/'.repeat(n)",
    use: "(create) => { const redactor = create(); return (text) => redactor.redact({ note: text }); }",
    greatest: 65_536,
  },
];

/** For four times the text, linear is 4 and quadratic 16. Times below this bound are noise. */
const growthLimit = 8;
const judgedFromMs = 30;
const caseBoundMs = 30_000;

const measureGrowth = `
  const { parentPort, workerData } = require("node:worker_threads");
  (async () => {
    const loaded = (await import(workerData.url))[workerData.call];
    if (typeof loaded !== "function") return parentPort.postMessage(null);
    const run = workerData.use === undefined ? loaded : (0, eval)(workerData.use)(loaded);
    const make = (0, eval)(workerData.make);
    const time = (size) => {
      const text = make(size);
      let best = Infinity;
      for (let round = 0; round < 3; round += 1) {
        const startedAt = performance.now();
        run(text);
        best = Math.min(best, performance.now() - startedAt);
      }
      return best;
    };
    time(64);
    let growth = 0;
    let last = time(workerData.greatest / 64);
    for (let size = workerData.greatest / 16; size <= workerData.greatest; size *= 4) {
      const ms = time(size);
      if (ms >= workerData.judgedFromMs) growth = Math.max(growth, ms / Math.max(last, 0.01));
      last = ms;
    }
    parentPort.postMessage({ growth, ms: last });
  })();
`;

/** The smallest growth of three attempts, to exclude other load on the machine. */
async function leastGrowthOf(known: KnownCase) {
  let least = await growthOf(known);
  for (let round = 0; round < 2 && least !== null && least.growth > growthLimit && least.ms < caseBoundMs; round += 1) {
    const again = await growthOf(known);
    if (again !== null && again.growth < least.growth) least = again;
  }
  return least;
}

/** Growth and time of the longest text; Infinity when it takes too long, null when the function does not exist. */
async function growthOf(known: KnownCase): Promise<{ growth: number; ms: number } | null> {
  const file = join(root, known.module);
  if (!existsSync(file)) return null;
  const worker = new Worker(measureGrowth, { eval: true, workerData: { ...known, url: file, judgedFromMs } });
  const bound = Promise.withResolvers<{ growth: number; ms: number } | null>();
  const endless = { growth: Number.POSITIVE_INFINITY, ms: caseBoundMs };
  const timer = setTimeout(() => bound.resolve(endless), caseBoundMs);
  worker.once("message", bound.resolve).once("error", bound.reject);
  try {
    return await bound.promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

type Run = Pick<AttackContext, "mode" | "log" | "signal">;

/** The growth of each case. A case that cannot run is a violation: its function has moved, so a regression would go unnoticed. */
export async function knownCaseRows(cases: readonly KnownCase[], { log }: Pick<Run, "log">): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const known of cases) {
    const measured = await leastGrowthOf(known);
    if (measured === null) {
      const name = `${known.name}: ${known.call} of ${known.module}`;
      rows.push(all(name, 0, "functions", 1));
      continue;
    }
    log(`${known.name}: ${measured.ms.toFixed(1)} ms for ${known.greatest}`);
    rows.push(within(`${known.name}: growth over 4 times the text`, measured.growth, "times", growthLimit));
  }
  return rows;
}

/** The test of all expressions, which a quick run omits. */
export async function expressionRows(testFile: string, { mode, log, signal }: Run): Promise<BenchRow[]> {
  if (!existsSync(join(root, testFile))) return [all(`every expression: ${testFile}`, 0, "files", 1)];
  if (mode === "quick") return [note("every expression: not in a quick run", 0, "files")];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", testFile];
  const failed = await promisify(execFile)(process.execPath, args, { cwd: root, signal }).then(
    () => 0,
    (fault: { stdout?: string }) => {
      log((fault.stdout ?? "").slice(-4000));
      return 1;
    },
  );
  return [none("all expressions against their worst cases: failed runs", failed, "runs")];
}

export const attack: Attack = {
  name: "patterns",
  about: "expensive texts for regular expressions, against the code that reads them",
  requirement: "H7: all regular expressions applied to external text are linear",
  run: async (context) => [
    ...(await knownCaseRows(knownCases, context)),
    ...(await expressionRows(expressionTest, context)),
  ],
};
