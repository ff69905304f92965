import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildStale } from "./build.ts";

describe("buildStale", () => {
  test("bundles all entries of an exports map and keeps other packages as imports", async () => {
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

  test("builds nothing the second time, regardless of file times", async () => {
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

  test("builds again when an output is missing, and removes outputs without a source", async () => {
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

describe("a single file", () => {
  const file = "packages/upper/dist/file/upper-file.mjs";
  const entry = "packages/upper/src/upper-file.ts";

  test("contains all imports of its entry, and runs without any package", async () => {
    const { root, folder } = await repositoryWithFile(
      'import { DatabaseSync } from "node:sqlite"; import { lower } from "@svc/lower"; console.log(lower, typeof DatabaseSync);',
    );
    await build(root);
    await copyFile(join(root, file), join(folder, "copied.mjs"));

    expect(runFile(folder, "copied.mjs")).toBe("lower function\n");
  });

  test("has a manifest with its digest, equal bytes from equal sources, and others when a bundled package changed", async () => {
    const { root } = await repositoryWithFile('import { lower } from "@svc/lower"; console.log(lower);');
    const manifest = async () => JSON.parse(await readFile(join(root, dirname(file), "manifest.json"), "utf8"));
    await build(root);
    const first = await manifest();
    const content = await readFile(join(root, file));
    expect(first).toEqual({
      version: "1.2.3",
      sha256: createHash("sha256").update(content).digest("hex"),
      bytes: content.byteLength,
      node: ">=22.16",
    });

    await rm(join(root, "packages/upper/dist"), { recursive: true });
    await build(root);
    expect(await manifest()).toEqual(first);

    await writeFile(join(root, "packages/lower/src/counter.ts"), "export const counter = { n: 1 };");
    expect(await build(root)).toEqual(["packages/lower", "packages/upper"]);
  });

  test("is refused while an import cannot be part of it", async () => {
    const { root } = await repositoryWithFile('try { await import("native-thing"); } catch {}');
    await expect(build(root)).rejects.toThrow(
      "src/upper-file.ts imports modules that can't be part of its file: native-thing",
    );
    expect(existsSync(join(root, "packages/upper/dist/.stamp"))).toBe(false);
  });

  test.each(["20.20.2", "22.15.1"])("prints on Node %s which Node it requires", async (version) => {
    const { root } = await repositoryWithFile('import "node:sqlite"; console.log("ran");');
    await build(root);
    const preload = `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "${version}" });`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", preload, join(root, file)], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      ...{ status: 1, stdout: "" },
      stderr: `svc: Node 22.16 or newer is required. This is Node ${version}.\n`,
    });
  });

  async function repositoryWithFile(source: string): Promise<{ root: string; folder: string }> {
    const root = await repository();
    await writeFile(join(root, entry), source);
    const manifest = JSON.parse(manifestOf("@svc/upper", { ".": "index" }));
    manifest.exports["./file"] = { source: "./src/upper-file.ts", default: "./dist/file/upper-file.mjs" };
    const stated = { ...manifest, version: "1.2.3", dependencies: { "@svc/lower": "1.2.3" } };
    await writeFile(join(root, "packages/upper/package.json"), JSON.stringify(stated));
    const folder = await mkdtemp(join(tmpdir(), "svc-elsewhere-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return { root, folder };
  }
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
