import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkDialectBranches, checkFile, checkFolders, projectFiles } from "./check-files.ts";

const faultsOf = (path: string, text = "") => checkFile(path, text).map(({ fault }) => fault);

describe("checkFile", () => {
  test("accepts 400 lines and refuses 401", () => {
    expect(faultsOf("packages/agent/src/a.ts", "x\n".repeat(400))).toEqual([]);
    expect(faultsOf("packages/agent/src/a.ts", "x\n".repeat(401))).toEqual([expect.stringContaining("401 lines")]);
    expect(faultsOf("packages/agent/src/a.test.ts", `${"x\n".repeat(400)}x`)).toHaveLength(1);
    expect(faultsOf("packages/dashboard/src/ui/tokens.css", "x\n".repeat(401))).toHaveLength(1);
  });

  test("ignores generated files and documents", () => {
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
    expect(faultsOf(path)).toEqual([expect.stringContaining("is too generic")]);
  });

  test.each(["tsconfig.base.json", "packages/protocol/src/base64.ts", "packages/brain/src/database/open.ts"])(
    "takes %s",
    (path) => {
      expect(faultsOf(path)).toEqual([]);
    },
  );

  test("refuses a .ts file that is not kebab-case and accepts a component's name", () => {
    expect(faultsOf("packages/agent/src/startAgent.ts")).toEqual(["file names must be kebab-case"]);
    expect(faultsOf("packages/brain/src/schema/migrations/0001-first-slice.ts")).toEqual([]);
    expect(faultsOf("packages/dashboard/src/features/tasks/TasksPage.tsx")).toEqual([]);
  });

  test.each(["only", "skip", "todo"])("refuses a test with .%s and reports the line", (word) => {
    const text = `import x;\ndescribe.${word}("a", () => {});`;
    expect(checkFile("scripts/a.test.ts", text)).toEqual([expect.objectContaining({ line: 2 })]);
    expect(faultsOf("scripts/a.test.ts", `test.concurrent.${word}("a")`)).toHaveLength(1);
  });

  test("accepts conditions, which the run reports, and similar words", () => {
    expect(faultsOf("scripts/a.test.ts", 'describe.runIf(onLinux)("a"); test.skipIf(x)("b"); cursor.skip(3);')).toEqual(
      [],
    );
  });
});

describe("an index.ts", () => {
  const path = "packages/brain/src/features/agents/index.ts";
  const exported = 'export { a } from "./a.ts";\n';

  test("exports from other files in at most 20 lines", () => {
    const text = `/** What others use. */\nexport type {\n  A,\n} from "./start.ts";\nexport * from "./build.ts"; // all\n`;
    expect(faultsOf(path, text)).toEqual([]);
    expect(faultsOf(path, exported.repeat(20))).toEqual([]);
    expect(faultsOf(path, exported.repeat(21))).toEqual(["21 lines; the maximum for an index is 20"]);
  });

  test("of a package may be longer", () => {
    expect(faultsOf("packages/protocol/src/index.ts", exported.repeat(80))).toEqual([]);
  });

  test.each([
    'import { a } from "./a.ts";\nexport const b = a;\n',
    "export const a = 1;\n",
    "export default function start() {}\n",
    `${exported}start();\n`,
  ])("is refused when it does more: %j", (text) => {
    expect(faultsOf(path, text)).toEqual(["an index may only export from other files"]);
  });
});

describe("the platform of the brain", () => {
  const path = "packages/brain/src/platform/http/access/access.ts";

  test.each(['const tag = "tasks";', 'grants("schedules:read")', "settings.SVC_TASK_RETENTION_DAYS"])(
    "must not name concepts of task monitoring: %s",
    (text) => {
      expect(faultsOf(path, text)).toEqual([expect.stringContaining("the platform must not name")]);
    },
  );

  test("may use its own words, and test fixtures may use all", () => {
    expect(faultsOf(path, 'import { Worker } from "node:worker_threads"; const kind = "agent";')).toEqual([]);
    expect(faultsOf("packages/brain/src/platform/http/http-fixture.ts", 'const tag = "tasks";')).toEqual([]);
    expect(faultsOf("packages/brain/src/features/tasks/routes.ts", 'const tag = "tasks";')).toEqual([]);
  });
});

describe("checkFolders", () => {
  const filesIn = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${folder}/part-${index}.ts`);

  test("accepts 12 source files in a folder and refuses 13", () => {
    expect(checkFolders(filesIn("scripts/a", 12))).toEqual([]);
    expect(checkFolders([...filesIn("scripts/a", 13), ...filesIn("scripts/a/b", 3)])).toEqual([
      { path: "scripts/a", fault: expect.stringContaining("13 source files; maximum 12") },
    ]);
  });

  test("ignores tests, declarations, generated files and documents", () => {
    const others = ["a.test.ts", "b.test.tsx", "c.d.ts", "d.generated.ts", "e.gen.ts", "f.css", "g.md"];
    expect(checkFolders([...filesIn("scripts/a", 12), ...others.map((name) => `scripts/a/${name}`)])).toEqual([]);
  });
});

describe("checkDialectBranches", () => {
  const branches = (count: number) => 'if (database.dialect === "sqlite") return;\n'.repeat(count);
  const store = "packages/brain/src/features/tasks/store.ts";

  test("accepts 25 branches and refuses 26 in any files", () => {
    const other = {
      path: "packages/brain/src/app/a.ts",
      text: 'if (bulk.dialect !== "postgres" || isEmbedded(tx)) b();',
    };
    expect(checkDialectBranches([{ path: store, text: branches(23) }, other])).toEqual([]);
    expect(checkDialectBranches([{ path: store, text: branches(24) }, other]).map(({ path }) => path)).toEqual([
      store,
      other.path,
    ]);
  });

  test("ignores tests and the folder for such branches", () => {
    const text = branches(26);
    const paths = [
      "packages/brain/src/features/tasks/store.test.ts",
      "packages/brain/src/platform/database/dialects/locks.ts",
      "packages/testkit/src/databases.ts",
    ];
    expect(checkDialectBranches(paths.map((path) => ({ path, text })))).toEqual([]);
  });
});

test("projectFiles finds the files of an exported tree, without those of a build or install", async () => {
  const root = await mkdtemp(join(tmpdir(), "svc-files-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const folder of ["src", "dist", "node_modules/x"]) {
    await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, folder, "a.ts"), "");
  }
  expect(projectFiles(root)).toEqual(["src/a.ts"]);
});
