import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JournalLine } from "./journal.ts";
import { runStep } from "./run-step.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-step-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs a program in place of a project: it writes these lines immediately, and then runs `then`. */
function run(
  lines: readonly JournalLine[],
  then: string,
  bounds = { begin: 600_000, tests: 600_000, end: 600_000 },
  more: { name?: string; files?: readonly string[] } = {},
) {
  const { name = "unit", files } = more;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const program = `require("node:fs").appendFileSync(process.env.SVC_TEST_JOURNAL, ${JSON.stringify(text)}); ${then}`;
  const args = ["-e", program, "--"];
  const step = { name, kind: "vitest", command: process.execPath, args, projects: [name] } as const;
  return runStep(step, {
    files,
    isEverything: false,
    journalFile: join(folder, `${name}.jsonl`),
    bounds,
  });
}

const file = "a.test.ts";
const passed: JournalLine[] = [
  { kind: "file begun", file },
  { kind: "test begun", file, test: "one" },
  { kind: "test", project: "unit", file, test: "one", state: "passed" },
];
const hang = "setInterval(() => {}, 1000);";

test("a finished project is counted from its journal", async () => {
  const { tally } = await run([...passed, { kind: "over", errors: [] }], "");
  expect(tally).toEqual({ passed: 1, failed: [], skipped: [] });
});

test("a project that hangs in a test is ended, and its results are kept", async () => {
  const lines: JournalLine[] = [...passed, { kind: "test begun", file, test: "two" }];
  const { tally } = await run(lines, hang, { begin: 600_000, tests: 300, end: 600_000 });
  expect(tally).toEqual({ passed: 1, failed: ["a.test.ts: two: did not end"], skipped: [] });
});

test("a project whose process does not exit is ended, and counts with its reported results", async () => {
  const lines: JournalLine[] = [...passed, { kind: "over", errors: [] }];
  const { tally } = await run(lines, hang, { begin: 600_000, tests: 600_000, end: 300 });
  expect(tally).toEqual({ passed: 1, failed: [], skipped: [] });
});

test("a project whose process exits early is a failure", async () => {
  const { tally } = await run(passed, "process.exit(3)");
  expect(tally.failed).toEqual(["a.test.ts: did not end"]);
});

test("a check returns its output, and counts by its exit code", async () => {
  const args = ["-e", "console.log('out'); console.error('err'); process.exit(1)"];
  const step = { name: "lint", kind: "check", command: process.execPath, args, projects: [] } as const;
  const journalFile = join(folder, "lint.jsonl");
  const { tally, output } = await runStep(step, { files: undefined, isEverything: false, journalFile });
  expect(output.split("\n").sort()).toEqual(["", "err", "out"]);
  expect(tally).toMatchObject({ passed: 0, failed: [expect.stringContaining("lint")] });
});

describe("a run of some files", () => {
  const bounds = { begin: 600_000, tests: 600_000, end: 600_000 };

  test("passes their names to the project", async () => {
    const then = "if (!process.argv.includes('packages/a.test.ts')) process.exit(1)";
    const lines: JournalLine[] = [...passed, { kind: "over", errors: [] }];
    const { tally } = await run(lines, then, bounds, { files: ["packages/a.test.ts"] });
    expect(tally).toEqual({ passed: 1, failed: [], skipped: [] });
  });

  test("may find none of them in the project", async () => {
    const { tally } = await run([{ kind: "over", errors: [] }], "", bounds, { files: ["packages/a.test.ts"] });
    expect(tally).toEqual({ passed: 0, failed: [], skipped: [] });
  });

  test("starts nothing without files", async () => {
    const { tally, journal } = await run(passed, "process.exit(1)", bounds, { files: [] });
    expect({ tally, journal }).toEqual({ tally: { passed: 0, failed: [], skipped: [] }, journal: [] });
  });
});

describe("the statements of a whole run", () => {
  const over: JournalLine[] = [...passed.map((line) => ({ ...line, project: "brain" })), { kind: "over", errors: [] }];
  const bounds = { begin: 600_000, tests: 600_000, end: 600_000 };
  const noting = (...dialects: readonly string[]) => {
    const statement = { statement: "a:1:1", from: "features/users/store.ts findUser", sql: "select 1", dialects };
    const notes = JSON.stringify({ file, statements: [statement] });
    return `const notes = process.env.SVC_TEST_STATEMENTS; if (notes) fs.writeFileSync(notes + "/1.json", ${JSON.stringify(notes)})`;
  };

  test("count as a failed test when one of them did not run on both databases", async () => {
    const { tally } = await run(over, noting("sqlite"), bounds, { name: "brain" });
    expect(tally.failed).toContainEqual(
      expect.stringMatching(/^features\/users\/store.ts findUser: only on sqlite, as in /),
    );
  });

  test("are not checked in a run of some files", async () => {
    const { tally } = await run(over, noting("sqlite"), bounds, { name: "brain", files: [file] });
    expect(tally.failed).toEqual([]);
  });
});
