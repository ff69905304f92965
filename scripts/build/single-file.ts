import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Workspace } from "./workspaces.ts";

/** The oldest Node whose node:sqlite has the members that the buffer uses: `timeout`, `isOpen` and `isTransaction`. */
const oldestNode = [22, 16] as const;

/** Optional packages to omit: native accelerators for single platforms, and clients that no engine uses. */
const leftOut = ["@valkey/valkey-glide", "bufferutil", "msgpackr-extract", "pg-native", "utf-8-validate"];

/**
 * Builds an entry into one ES module that needs only Node, and a manifest. Equal sources give equal bytes.
 *
 * @throws Error when an import cannot be part of the file.
 */
export async function buildSingleFile(
  root: string,
  { folder, version }: Workspace,
  entry: Workspace["entries"][number],
) {
  const built = join(root, folder, entry.built);
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(folder, entry.source)],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    // An older target than required: an old Node must be able to parse the file to print the required version.
    target: "node18",
    conditions: ["source"],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    plugins: [withoutOptional, lateSqlite],
    logLevel: "silent",
  });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external, path }) => external === true && !isBuiltin(path)).map(({ path }) => path),
  );
  if (left.length > 0)
    throw new Error(`${entry.source} imports modules that can't be part of its file: ${left.join(", ")}`);

  const name = basename(entry.built);
  const code = [
    beginning(`${basename(name, ".mjs")} ${version}`),
    ...outputFiles.map(({ text }) => text),
    licences(root, Object.keys(metafile.inputs)),
  ].join("\n");
  const bytes = Buffer.byteLength(code);
  const sha256 = createHash("sha256").update(code).digest("hex");
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(built, code);
  const manifest = { version, sha256, bytes, node: `>=${oldestNode.join(".")}` };
  writeFileSync(join(dirname(built), "manifest.json"), `${JSON.stringify(manifest)}\n`);
}

/** Runs first. Imports run even before it, so the bundle imports only Node modules that older versions also have. */
const beginning = (title: string): string => {
  const [major, minor] = oldestNode;
  return `#!/usr/bin/env node
// ${title}
import { createRequire as requireFrom } from "node:module";
{
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < ${major} || (major === ${major} && minor < ${minor})) {
    console.error(\`svc: Node ${major}.${minor} or newer is required. This is Node \${process.versions.node}.\`);
    process.exit(1);
  }
}
const require = requireFrom(import.meta.url);`;
};

/** Loads node:sqlite after the version check, because older versions of Node lack it, and without Node 22's warning that it is experimental. */
const lateSqlite: Plugin = {
  name: "late-sqlite",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:sqlite$/ }, ({ path }) => ({ path, namespace: "late-sqlite" }));
    onLoad({ filter: /.*/, namespace: "late-sqlite" }, () => ({
      contents: `const { emitWarning } = process;
        process.emitWarning = () => {};
        export const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
        process.emitWarning = emitWarning;`,
    }));
  },
};

/** Makes omitted packages fail to load, as if they were not installed. */
const withoutOptional: Plugin = {
  name: "without-optional",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${leftOut.join("|")})$`) }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: `throw Object.assign(new Error("${path} is not part of this file"), { code: "MODULE_NOT_FOUND" });`,
    }));
  },
};

/** The licences of the packages in the file, which most of them require to be included. */
function licences(root: string, inputs: readonly string[]): string {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const [file] = globSync("LICEN[CS]E*", { cwd: join(root, folder) }).sort();
    const text = file === undefined ? String(license) : readFileSync(join(root, folder, file), "utf8").trim();
    return `${name} ${version}\n\n${text}`;
  });
  const own = join(root, "LICENSE");
  const about = existsSync(own) ? readFileSync(own, "utf8").trim() : "";
  return `/*\n${[about, ...texts].join(`\n\n${"-".repeat(80)}\n\n`).replaceAll("*/", "* /")}\n*/\n`;
}
