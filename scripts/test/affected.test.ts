import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { affectedLine, affectedTests, browserAreas } from "./affected.ts";
import { affectedBy, affectedSince } from "./repository.ts";

const features = "packages/brain/src/features";
const browser = "packages/dashboard/test";

/** Each file and its imports. */
const files: Readonly<Record<string, readonly string[]>> = {
  [`${features}/queues/list.ts`]: [],
  [`${features}/queues/index.ts`]: [`${features}/queues/list.ts`],
  [`${features}/queues/routes.test.ts`]: ["packages/testkit/src/test-brain.ts"],
  [`${features}/workers/list.test.ts`]: [`${features}/queues/index.ts`],
  [`${features}/workers/routes.test.ts`]: ["packages/testkit/src/test-brain.ts"],
  "packages/brain/src/app/brain.ts": [`${features}/queues/index.ts`],
  "packages/brain/src/platform/log.ts": [],
  "packages/brain/test/flows/queue-ends.test.ts": ["packages/testkit/src/test-brain.ts"],
  "packages/brain/test/flows/queues.test.ts": ["packages/testkit/src/test-brain.ts"],
  "packages/brain/test/flows/order.test.ts": [`${features}/queues/index.ts`],
  "packages/brain/test/flows/queuesand.test.ts": ["packages/testkit/src/test-brain.ts"],
  "packages/testkit/src/test-brain.ts": ["packages/brain/src/app/brain.ts"],
  "packages/client/src/index.ts": [],
  "packages/agent/src/index.ts": [],
  "packages/cli/src/agent.ts": ["packages/agent/src/index.ts"],
  "packages/cli/src/commands.ts": ["packages/cli/src/agent.ts"],
  "packages/cli/test/agent.test.ts": ["packages/cli/src/commands.ts"],
  "packages/cli/test/login.test.ts": [],
  "packages/dashboard/src/features/queues/bars.ts": [],
  "packages/dashboard/src/features/queues/bars.test.ts": ["packages/dashboard/src/features/queues/bars.ts"],
  "packages/dashboard/src/features/tasks/rows.test.ts": ["packages/dashboard/src/features/queues/bars.ts"],
  [`${browser}/site.ts`]: ["packages/testkit/src/test-brain.ts"],
  [`${browser}/fleet/bars.browser.test.ts`]: [`${browser}/site.ts`],
  [`${browser}/tasks/rows.browser.test.ts`]: [`${browser}/site.ts`],
  [`${browser}/shell/rail.browser.test.ts`]: [],
  "scripts/expressions.test.ts": [],
};
const existing = Object.keys(files);
const everyTest = existing.filter((file) => file.includes(".test.")).sort();
const everyBrowserTest = everyTest.filter((file) => file.startsWith(browser));

const affectedIn = (...changed: readonly string[]) => affectedTests(changed, new Map(Object.entries(files)), existing);
const testsOf = (...changed: readonly string[]) =>
  affectedIn(...changed).tests.filter((file) => file !== "scripts/expressions.test.ts");

describe("a change", () => {
  test("of a feature of the brain affects its folder, its importers and its flows, but nothing through the whole service", () => {
    expect(testsOf(`${features}/queues/list.ts`)).toEqual([
      `${features}/queues/routes.test.ts`,
      `${features}/workers/list.test.ts`,
      "packages/brain/test/flows/order.test.ts",
      "packages/brain/test/flows/queue-ends.test.ts",
      "packages/brain/test/flows/queues.test.ts",
    ]);
  });

  test("of a test affects only that test", () => {
    expect(affectedIn(`${features}/queues/routes.test.ts`).tests).toEqual([`${features}/queues/routes.test.ts`]);
  });

  test("that deletes a file affects its remaining importers and its folder", () => {
    const deleted = `${features}/queues/deleted.ts`;
    const graph = new Map(Object.entries({ ...files, [deleted]: [], "bench/src/rate.test.ts": [deleted] }));
    const { tests } = affectedTests([deleted], graph, [...existing, "bench/src/rate.test.ts"]);
    expect(tests).toEqual(expect.arrayContaining(["bench/src/rate.test.ts", `${features}/queues/routes.test.ts`]));
  });

  test("of a command affects all tests of the command line", () => {
    expect(testsOf("packages/cli/src/agent.ts")).toEqual([
      "packages/cli/test/agent.test.ts",
      "packages/cli/test/login.test.ts",
    ]);
  });

  test("outside the features also affects tests that reach it through the whole service", () => {
    expect(testsOf("packages/agent/src/index.ts")).toEqual(["packages/cli/test/agent.test.ts"]);
  });

  test("of a feature of the dashboard affects the browser tests of its area", () => {
    expect(testsOf("packages/dashboard/src/features/queues/bars.ts")).toEqual([
      "packages/dashboard/src/features/queues/bars.test.ts",
      "packages/dashboard/src/features/tasks/rows.test.ts",
      `${browser}/fleet/bars.browser.test.ts`,
    ]);
  });

  test.each([
    ["packages/dashboard/src/ui/Button.tsx"],
    ["packages/dashboard/index.html"],
    ["packages/dashboard/src/features/unknown/page.tsx"],
    ["packages/client/src/index.ts"],
  ])("of %s affects all browser tests", (file) => {
    expect(testsOf(file)).toEqual(everyBrowserTest);
  });

  test("of a file that browser tests share affects those that import it", () => {
    expect(testsOf(`${browser}/site.ts`)).toEqual([
      `${browser}/fleet/bars.browser.test.ts`,
      `${browser}/tasks/rows.browser.test.ts`,
    ]);
  });

  test("only of production sources affects the test of all regular expressions", () => {
    expect(affectedIn("packages/agent/src/index.ts").tests).toContain("scripts/expressions.test.ts");
    expect(affectedIn(`${browser}/site.ts`).tests).not.toContain("scripts/expressions.test.ts");
  });

  test.each([
    ["packages/brain/src/app/brain.ts"],
    ["packages/brain/src/platform/log.ts"],
    ["packages/brain/src/schema/migrations/0099-new.ts"],
    ["packages/brain/src/index.ts"],
    ["packages/cli/src/commands.ts"],
    ["packages/testkit/src/test-brain.ts"],
    ["packages/agent/package.json"],
    ["package-lock.json"],
    ["vitest.config.ts"],
    ["scripts/test/steps.ts"],
    ["scripts/build.ts"],
  ])("of %s affects everything", (file) => {
    const affected = affectedIn("README.md", file);
    expect(affected).toMatchObject({ tests: everyTest, everythingBecause: file });
    expect(affectedLine(affected)).toBe(`all tests can be affected: ${file} changed`);
  });

  test.each([["README.md"], ["docs/reference/api.md"]])("of %s affects no test", (file) => {
    expect(affectedIn(file).tests).toEqual([]);
  });

  test("is summed up in a line, including the omitted tests", () => {
    const all = everyTest.length;
    expect(affectedLine(affectedIn("README.md"))).toBe(`0 test files can be affected (of ${all})`);
    expect(affectedLine(affectedIn(`${features}/queues/list.ts`))).toBe(
      `6 test files can be affected (of ${all}); tests that reach a feature only through a running service or a browser need a complete run`,
    );
  });
});

describe("in this repository", () => {
  const root = join(import.meta.dirname, "../..");

  test("a feature of the brain affects its own tests and few others", () => {
    const { tests, all } = affectedBy(root, [`${features}/issues/list.ts`]);
    const own = readdirSync(join(root, features, "issues")).filter((name) => name.endsWith(".test.ts"));
    expect(tests).toEqual(expect.arrayContaining(own.map((name) => `${features}/issues/${name}`)));
    expect(own.length).toBeGreaterThan(1);
    expect(tests.length).toBeLessThan(40);
    expect(all).toBeGreaterThan(500);
  });

  test("the platform affects everything", () => {
    const { tests, all } = affectedBy(root, ["packages/brain/src/platform/log.ts"]);
    expect(tests).toHaveLength(all);
  });

  test("a feature of the dashboard affects only the browser tests of its area", () => {
    const { tests } = affectedBy(root, ["packages/dashboard/src/features/tasks/StateRail.tsx"]);
    const inBrowser = tests.filter((file) => file.startsWith(browser));
    expect(inBrowser.filter((file) => !file.startsWith(`${browser}/tasks/`))).toEqual([]);
    expect(tests.length).toBeGreaterThan(inBrowser.length);
  });

  test("every feature of the dashboard has an area", () => {
    const names = readdirSync(join(root, "packages/dashboard/src/features"));
    expect(Object.values(browserAreas).flat().sort()).toEqual(names.sort());
  });

  test("a commit that does not exist is refused", () => {
    expect(() => affectedSince(root, "no-such-commit")).toThrow("no-such-commit");
    expect(() => affectedSince(root, "--output=x")).toThrow();
  });
});
