import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isPassed, tableOf, timesOf } from "./report.ts";
import { type HarnessOptions, runSuite } from "./run-suite.ts";
import { atLeast, atMost, type BenchSuite, note } from "./suite.ts";

describe("a bench row", () => {
  test("passes a rate at its target and fails below it", () => {
    expect(atLeast("ingest", 75, "k/s", { limit: 100, target: 0.75 })).toMatchObject({
      ratio: 0.75,
      pass: true,
    });
    expect(atLeast("ingest", 74, "k/s", { limit: 100, target: 0.75 }).pass).toBe(false);
  });

  test("passes a cost at its target and fails above it", () => {
    expect(atMost("page", 25, "ms", { limit: 25 })).toMatchObject({
      ratio: 1,
      pass: true,
    });
    expect(atMost("page", 26, "ms", { limit: 25 }).pass).toBe(false);
  });

  test.each([Number.NaN, 0])("never passes a rate against a limit of %s without a measurement", (limit) => {
    expect(atLeast("ingest", 0, "k/s", { limit, target: 0.5 }).pass).toBe(false);
  });
});

describe("runSuite", () => {
  test("returns the rows and removes the suite's folder", async () => {
    const options = await harness();
    let scratchDir = "";
    const result = await runSuite(
      suiteOf(async (context) => {
        scratchDir = context.scratchDir;
        await writeFile(join(scratchDir, "data"), "x");
        return [note("one", 1, "s")];
      }),
      options,
    );
    expect(result.rows).toHaveLength(1);
    expect(existsSync(scratchDir)).toBe(false);
  });

  test("scales stated times and rates for a slow machine, but not measured ones", async () => {
    const rows = [
      atMost("page", 30, "ms", { stated: 25 }),
      atLeast("verify", 30, "rows/s", { stated: 50 }),
      atMost("read", 30, "ms", { limit: 25 }),
      note("rss", 250, "MB"),
    ];
    expect(rows.map(({ pass }) => pass)).toEqual([false, false, false, true]);
    const result = await runSuite(
      suiteOf(async () => rows),
      { ...(await harness()), slowness: () => 2 },
    );
    expect(result.rows.map(({ limit, ratio, pass }) => [limit, ratio, pass])).toEqual([
      [50, 0.6, true],
      [25, 1.2, true],
      [25, 1.2, false],
      [null, null, true],
    ]);
  });

  test("refuses a suite before it runs when the disk is too small", async () => {
    const options = await harness();
    const suite = suiteOf(() => Promise.reject(new Error("it ran")), {
      quick: Number.MAX_SAFE_INTEGER,
      standard: 0,
      full: 0,
    });
    expect((await runSuite(suite, options)).fault).toMatch(/^needs .+ GB of free disk/);
  });

  test("reports a suite's error and removes its folder", async () => {
    const options = await harness();
    const result = await runSuite(
      suiteOf(() => Promise.reject(new Error("no table"))),
      options,
    );
    expect(result.fault).toContain("no table");
    expect(await readdir(options.scratchRoot)).toEqual([]);
  });

  test("ends a suite that is out of time although it ignores the signal", async () => {
    const options = { ...(await harness()), suiteBudgetMs: 20 };
    expect(
      (
        await runSuite(
          suiteOf(() => new Promise(() => {})),
          options,
        )
      ).fault,
    ).toBe("not finished within 0.02 s");
  });
});

describe("isPassed", () => {
  const row = note("a", 1, "s");
  test("passes only when all suites have rows, and no row or suite failed", () => {
    expect(isPassed({ suites: [{ suite: "a", seconds: 1, rows: [row] }] })).toBe(true);
    expect(isPassed({ suites: [{ suite: "a", seconds: 1, rows: [{ ...row, pass: false }] }] })).toBe(false);
    expect(isPassed({ suites: [{ suite: "a", seconds: 1, rows: [row], fault: "late" }] })).toBe(false);
    expect(isPassed({ suites: [{ suite: "a", seconds: 1, rows: [] }] })).toBe(false);
    expect(isPassed({ suites: [] })).toBe(false);
  });
});

test("tableOf prints figure, limit, ratio, target and verdict of each row", () => {
  const rows = [
    atLeast("ingest", 98_765, "ev/s", { limit: 100_000, target: 0.75 }),
    atMost("page p95", 31.25, "ms", { limit: 25 }),
    note("rss", 250, "MB"),
  ];
  expect(tableOf([{ suite: "all", seconds: 2, rows }]).split("\n")).toEqual([
    "all (2.0 s)",
    "                 figure         limit  ratio   target",
    "  ingest    98,765 ev/s  100,000 ev/s   0.99  >= 0.75      ok",
    "  page p95      31.3 ms         25 ms   1.25  <= 1.00  MISSED",
    "  rss            250 MB",
    "",
  ]);
});

test("timesOf lists each suite's share of a run", () => {
  const suites = [
    { suite: "one", seconds: 30, rows: [] },
    { suite: "two", seconds: 90, rows: [] },
  ];
  expect(timesOf(suites)).toBe("120 s in total: one 30 s (25 %), two 90 s (75 %)");
});

async function harness(): Promise<HarnessOptions> {
  const scratchRoot = await mkdtemp(join(tmpdir(), "svc-bench-"));
  onTestFinished(() => rm(scratchRoot, { recursive: true, force: true }));
  return {
    mode: "quick",
    scratchRoot,
    signal: new AbortController().signal,
    log: () => {},
    postgres: () => Promise.reject(new Error("not in this test")),
    slowness: () => 1,
    suiteBudgetMs: 60_000,
  };
}

function suiteOf(run: BenchSuite["run"], diskBytes = { quick: 0, standard: 0, full: 0 }): BenchSuite {
  return { name: "sample", about: "for a test", diskBytes, run };
}
