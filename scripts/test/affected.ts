import { posix } from "node:path";
import { type ImportGraph, reachedFrom } from "./import-graph.ts";

export interface Affected {
  /** The test files to run, in order. */
  readonly tests: readonly string[];
  /** The number of all test files. */
  readonly all: number;
  /** The changed file that can affect all tests; undefined if there is none. */
  readonly everythingBecause?: string;
  /** Tests that reach a changed feature of the brain only through a running service are omitted. */
  readonly leavesOutServices: boolean;
}

const testFile = /^(?:packages|engines|bench|scripts)\/.*\.test\.tsx?$/;
const feature = /^packages\/(brain|dashboard)\/src\/features\/([^/]+)\//;
const commandLine = /^packages\/cli\/(?:src|bin)\//;
const browserTests = "packages/dashboard/test/";
const flows = "packages/brain/test/";
/** Tests the regular expressions of all production files. */
const expressionsTest = "scripts/expressions.test.ts";

/** Composition roots. A test that reaches a feature or a command only through one does not count as its test. */
const compositionRoot = /^packages\/(?:brain\/src\/app\/|cli\/src\/commands\.ts$)/;

/** Files that all tests depend on without an import. */
const foundations: readonly RegExp[] = [
  compositionRoot,
  /^packages\/brain\/src\/(?:platform\/|schema\/|[^/]+$)/,
  /^packages\/brain\/test\/note-statements\.ts$/,
  /^packages\/testkit\/src\//,
  /^scripts\/(?:build|test)(?:\/|\.ts$)/,
  /^(?:vitest\.config\.ts|tsconfig\.json|tsconfig\.base\.json|package-lock\.json)$/,
  /^(?:.*\/)?package\.json$/,
];

/** The folder of browser tests for each feature of the dashboard: they use the built pages and import none of their sources. */
export const browserAreas: Readonly<Record<string, readonly string[]>> = {
  tasks: ["tasks", "task-data"],
  commands: ["actions", "dead-letters"],
  overview: ["overview", "issues", "projects", "home", "onboarding"],
  fleet: ["queues", "workers", "agents", "schedulers"],
  account: ["account", "mfa", "sessions", "password-reset"],
  people: ["users", "memberships", "invitations", "admin"],
  audit: ["audit"],
  schedules: ["schedules"],
};

/** The tests that a change of these files can affect. The graph includes deleted files. */
export function affectedTests(changed: readonly string[], graph: ImportGraph, existing: readonly string[]): Affected {
  const all = existing.filter((file) => testFile.test(file)).sort();
  const changedTests = changed.filter((file) => testFile.test(file));
  const changedSources = changed.filter((file) => !testFile.test(file));
  const everythingBecause = changedSources.find((file) => foundations.some((pattern) => pattern.test(file)));
  if (everythingBecause !== undefined)
    return { tests: all, all: all.length, everythingBecause, leavesOutServices: false };

  const isPart = (file: string) => feature.test(file) || commandLine.test(file);
  const reached = new Set([
    ...changedTests,
    ...reachedFrom(graph, changedSources.filter(isPart), (file) => compositionRoot.test(file)),
    ...reachedFrom(
      graph,
      changedSources.filter((file) => !isPart(file)),
      () => false,
    ),
  ]);
  const rules = changedSources.map((file) => ruleOf(file, graph));
  return {
    tests: all.filter((test) => reached.has(test) || rules.some((isAffected) => isAffected(test))),
    all: all.length,
    leavesOutServices: changedSources.some((file) => feature.exec(file)?.[1] === "brain"),
  };
}

/** Whether a change of a file affects a test that does not import it. */
function ruleOf(file: string, graph: ImportGraph): (test: string) => boolean {
  const isProduction = /^(?:packages|engines)\/[^/]+\/src\//.test(file);
  const isAffected = partRuleOf(file, graph);
  return (test) => isAffected(test) || (isProduction && test === expressionsTest);
}

function partRuleOf(file: string, graph: ImportGraph): (test: string) => boolean {
  const [folder, owner, name = ""] = feature.exec(file) ?? [];
  if (owner === "brain" && folder !== undefined) {
    const isFlow = (test: string) =>
      graph.get(test)?.some((path) => path.startsWith(folder)) || isNamedAfter(test, name);
    return (test) => test.startsWith(folder) || (test.startsWith(flows) && isFlow(test));
  }
  if (owner === "dashboard" && folder !== undefined) {
    const area = Object.keys(browserAreas).find((key) => browserAreas[key]?.includes(name));
    const browser = area === undefined ? browserTests : `${browserTests}${area}/`;
    return (test) => test.startsWith(folder) || test.startsWith(browser);
  }
  if (commandLine.test(file)) return (test) => test.startsWith("packages/cli/");
  const isDashboard = file.startsWith("packages/dashboard/") && !file.startsWith(browserTests);
  if (isDashboard || file.startsWith("packages/client/")) return (test) => test.startsWith(browserTests);
  return () => false;
}

/** `bulk-retry-kill.test.ts` and `bulk-retries.test.ts` both belong to `bulk-retries`. */
function isNamedAfter(test: string, name: string): boolean {
  const singular = name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.replace(/s$/, "");
  return [name, singular].some((start) => new RegExp(`^${start}[.-]`).test(posix.basename(test)));
}

/** One line about the selected tests. */
export function affectedLine({ tests, all, everythingBecause, leavesOutServices }: Affected): string {
  if (everythingBecause !== undefined) return `all tests can be affected: ${everythingBecause} changed`;
  const left = leavesOutServices
    ? "; tests that reach a feature only through a running service or a browser need a complete run"
    : "";
  return `${tests.length} test files can be affected (of ${all})${left}`;
}
