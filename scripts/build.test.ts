import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildStale } from "./build.ts";

describe("buildStale", () => {
  test("bundles every entry of an exports map and keeps other packages as imports", async () => {
    const root = await repository();

    await build(root);

    expect(runFile(root, "packages/upper/dist/index.js")).toBe("upper over lower\n");
    expect(await readFile(join(root, "packages/upper/dist/index.js"), "utf8")).toContain('"@svc/lower"');
    expect(existsSync(join(root, "packages/lower/dist/thread.js.map"))).toBe(true);
  });

  test("holds state that two entries share once", async () => {
    const root = await repository();
    await build(root);
    await writeFile(
      join(root, "packages/lower/both.js"),
      'import { counter } from "@svc/lower"; import "@svc/lower/thread"; console.log(counter.n);',
    );
    expect(runFile(root, "packages/lower/both.js")).toBe("1\n");
  });

  test("builds nothing the second time, whatever the file times say", async () => {
    const root = await repository();
    await build(root);
    await utimes(join(root, "packages/lower/src/index.ts"), new Date(), new Date());

    expect(await build(root)).toEqual([]);
  });

  test("builds only the package whose content changed", async () => {
    const root = await repository();
    await build(root);
    await writeFile(
      join(root, "packages/lower/src/index.ts"),
      'export const lower = "changed"; export const counter = { n: 0 };',
    );

    expect(await build(root)).toEqual(["packages/lower"]);
    expect(runFile(root, "packages/upper/dist/index.js")).toBe("upper over changed\n");
  });

  test("builds again when an output is gone, and removes what no source stands for", async () => {
    const root = await repository();
    await build(root);
    await rm(join(root, "packages/lower/dist/thread.js"));
    await writeFile(join(root, "packages/lower/dist/old.js"), "");

    expect(await build(root)).toEqual(["packages/lower"]);
    expect(await readdir(join(root, "packages/lower/dist"))).not.toContain("old.js");
  });

  test("leaves no stamp when a build fails", async () => {
    const root = await repository();
    await writeFile(join(root, "packages/lower/src/index.ts"), "export const = ;");
    await expect(buildStale({ root, log: () => {} })).rejects.toThrow(/lower|index\.ts|Build failed/);
    expect(existsSync(join(root, "packages/lower/dist/.stamp"))).toBe(false);
  });

  test("refuses a package that does not exist", async () => {
    const root = await repository();
    await expect(buildStale({ root, only: ["@svc/nowhere"], log: () => {} })).rejects.toThrow(
      "no such package: @svc/nowhere",
    );
  });
});

const files: Readonly<Record<string, string>> = {
  "package.json": '{"type":"module","workspaces":["packages/*"]}',
  "packages/lower/package.json": manifestOf("@svc/lower", { ".": "index", "./thread": "thread" }),
  "packages/lower/src/index.ts": 'export const lower: string = "lower"; export { counter } from "./counter.ts";',
  "packages/lower/src/counter.ts": "export const counter = { n: 0 };",
  "packages/lower/src/thread.ts": 'import { counter } from "./counter.ts"; counter.n += 1;',
  "packages/upper/package.json": manifestOf("@svc/upper", { ".": "index" }),
  "packages/upper/src/index.ts": 'import { lower } from "@svc/lower"; console.log("upper over " + lower);',
};

async function repository(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "svc-build-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await mkdir(join(root, "node_modules/@svc"), { recursive: true });
  for (const name of ["lower", "upper"])
    await symlink(join(root, "packages", name), join(root, "node_modules/@svc", name));
  return root;
}

function manifestOf(name: string, entries: Readonly<Record<string, string>>): string {
  const exports = Object.fromEntries(
    Object.entries(entries).map(([path, file]) => [path, { source: `./src/${file}.ts`, default: `./dist/${file}.js` }]),
  );
  return JSON.stringify({ name, type: "module", exports });
}

async function build(root: string): Promise<readonly string[]> {
  return buildStale({ root, log: () => {} });
}

function runFile(root: string, path: string): string {
  const { NODE_OPTIONS: _inherited, ...env } = process.env;
  return execFileSync(process.execPath, [join(root, path)], { encoding: "utf8", env });
}
