import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { build as bundle, type Plugin } from "esbuild";
import { buildSingleFile } from "./build/single-file.ts";
import { bundledPackages, inputsDigest, isFresh, markFresh } from "./build/staleness.ts";
import { readWorkspaces, type Workspace } from "./build/workspaces.ts";

export interface BuildOptions {
  /** Repository root. */
  readonly root: string;
  /** Names or folders of the packages to build; all when empty. */
  readonly only?: readonly string[];
  readonly log: (line: string) => void;
}

/** Builds the packages whose inputs changed since their last build; returns the folders it built. */
export async function buildStale({ root, only = [], log }: BuildOptions): Promise<readonly string[]> {
  const all = readWorkspaces(root);
  const unknown = only.filter((wanted) => !all.some(({ name, folder }) => wanted === name || wanted === folder));
  if (unknown.length > 0) throw new Error(`no such package: ${unknown.join(", ")}`);
  const chosen = all.filter(({ name, folder }) => only.length === 0 || only.includes(name) || only.includes(folder));
  const built: string[] = [];
  for (const workspace of chosen) {
    const digest = inputsDigest(root, workspace, all);
    if (isFresh(root, workspace, digest)) continue;
    const startedAt = performance.now();
    // Removed first, so that no file of an earlier build outlives its source.
    rmSync(join(root, workspace.folder, "dist"), { recursive: true, force: true });
    await (workspace.isWebsite ? buildWebsite(root, workspace) : buildModules(root, workspace));
    for (const entry of workspace.singleFiles) await buildSingleFile(root, workspace, entry);
    markFresh(root, workspace, digest);
    built.push(workspace.folder);
    log(`built ${workspace.folder} in ${Math.round(performance.now() - startedAt)} ms`);
  }
  const freshCount = chosen.length - built.length;
  if (freshCount > 0) log(`${freshCount} of ${chosen.length} packages were up to date`);
  return built;
}

/** For the command line: a failed build prints only its message, because this script's stack trace is of no use. */
export async function buildOrExit(root: string, only: readonly string[], log: (line: string) => void): Promise<void> {
  try {
    await buildStale({ root, only, log });
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault);
    process.exit(1);
  }
}

const keepExternal: Plugin = {
  name: "keep-external",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || bundledPackages.some((name) => path === name || path.startsWith(`${name}/`))
        ? undefined
        : { path, external: true },
    );
  },
};

/** One ESM file per entry; code shared by two entries goes into a chunk, so that a module exists once per process. */
async function buildModules(root: string, { folder, entries }: Workspace): Promise<void> {
  if (entries.length === 0) return;
  await bundle({
    absWorkingDir: join(root, folder),
    entryPoints: Object.fromEntries(
      entries.map(({ source, built }) => [built.slice("./dist/".length, -".js".length), source]),
    ),
    outdir: "dist",
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    target: "node24",
    conditions: ["source"],
    plugins: [keepExternal],
    sourcemap: true,
    logLevel: "silent",
  });
}

async function buildWebsite(root: string, { folder }: Workspace): Promise<void> {
  const viteManifest = createRequire(join(root, folder, "package.json")).resolve("vite/package.json");
  const vite = spawn(process.execPath, [join(dirname(viteManifest), "bin/vite.js"), "build", "--logLevel", "warn"], {
    cwd: join(root, folder),
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(vite.stdout), text(vite.stderr)]);
  const code = await new Promise<number | null>((resolve, reject) => vite.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`vite could not build ${folder}:\n${(await output).join("")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await buildOrExit(process.cwd(), process.argv.slice(2), console.log);
}
