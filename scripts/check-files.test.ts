import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkFile, projectFiles } from "./check-files.ts";

const faultsOf = (path: string, text = "") => checkFile(path, text).map(({ fault }) => fault);

describe("checkFile", () => {
  test("takes 400 lines and refuses 401", () => {
    expect(faultsOf("packages/agent/src/a.ts", "x\n".repeat(400))).toEqual([]);
    expect(faultsOf("packages/agent/src/a.ts", "x\n".repeat(401))).toEqual([expect.stringContaining("401 lines")]);
    expect(faultsOf("packages/agent/src/a.test.ts", `${"x\n".repeat(400)}x`)).toHaveLength(1);
    expect(faultsOf("packages/dashboard/src/ui/tokens.css", "x\n".repeat(401))).toHaveLength(1);
  });

  test("measures neither generated files nor documents", () => {
    expect(faultsOf("packages/client/src/routes.generated.ts", "x\n".repeat(900))).toEqual([]);
    expect(faultsOf("docs/guide.md", "x\n".repeat(900))).toEqual([]);
  });

  test.each([
    "packages/agent/src/utils/a.ts",
    "packages/agent/src/helpers.ts",
    "packages/agent/src/session-manager.ts",
    "packages/brain/src/common/index.ts",
    "packages/brain/src/features/shared/store.ts",
    "packages/brain/src/base.ts",
    "docs/misc/a.md",
  ])("refuses %s for its name", (path) => {
    expect(faultsOf(path)).toEqual([expect.stringContaining("says nothing")]);
  });

  test.each(["tsconfig.base.json", "packages/protocol/src/base64.ts", "packages/brain/src/database/open.ts"])(
    "takes %s",
    (path) => {
      expect(faultsOf(path)).toEqual([]);
    },
  );

  test("refuses a .ts file that is not kebab-case and takes a component's name", () => {
    expect(faultsOf("packages/agent/src/startAgent.ts")).toEqual(["file names are kebab-case"]);
    expect(faultsOf("packages/brain/src/schema/migrations/0001-first-slice.ts")).toEqual([]);
    expect(faultsOf("packages/dashboard/src/features/tasks/TasksPage.tsx")).toEqual([]);
  });

  test.each(["only", "skip", "todo"])("refuses a test with .%s and tells the line", (word) => {
    const text = `import x;\ndescribe.${word}("a", () => {});`;
    expect(checkFile("scripts/a.test.ts", text)).toEqual([expect.objectContaining({ line: 2 })]);
    expect(faultsOf("scripts/a.test.ts", `test.concurrent.${word}("a")`)).toHaveLength(1);
  });

  test("takes conditions, which the run reports, and words that only look alike", () => {
    expect(faultsOf("scripts/a.test.ts", 'describe.runIf(onLinux)("a"); test.skipIf(x)("b"); cursor.skip(3);')).toEqual(
      [],
    );
  });
});

test("projectFiles finds the files of an exported tree, without what a build or install made", async () => {
  const root = await mkdtemp(join(tmpdir(), "svc-files-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const folder of ["src", "dist", "node_modules/x"]) {
    await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, folder, "a.ts"), "");
  }
  expect(projectFiles(root)).toEqual(["src/a.ts"]);
});
