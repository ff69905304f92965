import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Entry {
  readonly source: string;
  readonly built: string;
}

export interface Workspace {
  readonly name: string;
  readonly version: string;
  /** From the repository root, with forward slashes: `packages/brain`. */
  readonly folder: string;
  /** Each entry's source and built file, relative to the package folder. */
  readonly entries: readonly Entry[];
  /** The entries whose built file ends in `.mjs`: each becomes one file with all its imports. */
  readonly singleFiles: readonly Entry[];
  /** Built by vite into static files instead of by esbuild into modules. */
  readonly isWebsite: boolean;
  readonly dependencies: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, { readonly source?: string; readonly default?: string } | string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Packages for tests and benchmarks only, which always run from source. */
const developmentOnly = new Set(["packages/testkit", "engines/conformance", "bench"]);

/** All workspace packages with a build, ordered by folder. A `*` entry of an exports map has no build of its own. */
export function readWorkspaces(root: string): readonly Workspace[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { workspaces: string[] };
  const manifests = workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root })).sort();
  return manifests
    .map((path) => path.replaceAll("\\", "/").replace(/\/package\.json$/, ""))
    .filter((folder) => !developmentOnly.has(folder))
    .map((folder) => readWorkspace(root, folder));
}

function readWorkspace(root: string, folder: string): Workspace {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  const entries: Entry[] = [];
  for (const entry of Object.values(manifest.exports ?? {})) {
    if (typeof entry === "string" || !entry.source || !entry.default?.startsWith("./dist/")) continue;
    if (!entry.source.includes("*")) entries.push({ source: entry.source, built: entry.default });
  }
  // A launcher bin/<name>.js starts dist/<name>.js, which is built from src/main.ts.
  for (const name of Object.keys(manifest.bin ?? {}))
    entries.push({ source: "./src/main.ts", built: `./dist/${name}.js` });
  return {
    name: manifest.name,
    version: manifest.version,
    folder,
    entries: entries.filter((entry) => !isSingleFile(entry)),
    singleFiles: entries.filter(isSingleFile),
    isWebsite: ["vite.config.ts", "vite.config.mts"].some((config) => existsSync(join(root, folder, config))),
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
  };
}

const isSingleFile = ({ built }: Entry): boolean => built.endsWith(".mjs");
