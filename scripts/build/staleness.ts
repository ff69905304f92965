import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "./workspaces.ts";

const stampFile = "dist/.stamp";
const ignored = /(^|\/)(dist|node_modules|coverage)(\/|$)|[.]test[.]tsx?$|[.]tsbuildinfo$/;

/**
 * Packages of many small modules that go into the files of whoever imports them, as far as they are used: a thread that wants one
 * function of the protocol would else load a thousand modules. All other packages are imported as they are.
 */
export const bundledPackages: readonly string[] = ["@svc/protocol", "typebox", "kysely"];

/**
 * A digest over everything a package's build reads: its files, those of the packages that are bundled into it, and the tools. Content
 * decides, not times, so that a checkout or a branch switch rebuilds exactly what differs.
 */
export function inputsDigest(root: string, workspace: Workspace, all: readonly Workspace[]): string {
  const digest = createHash("sha256");
  // Modules keep most imports of other packages; websites and single files bundle them.
  const bundlesAll = workspace.isWebsite || workspace.singleFiles.length > 0;
  const folders = bundlesAll ? reachedFolders(workspace, all) : [workspace.folder, ...bundledFolders(workspace, all)];
  const files = folders.flatMap((folder) =>
    globSync(`${folder}/**/*`, { cwd: root, exclude: (path) => ignored.test(path) }),
  );
  const tools = [
    "package-lock.json",
    "tsconfig.base.json",
    "scripts/build.ts",
    ...globSync("scripts/build/*.ts", { cwd: root }),
  ];
  for (const file of [...files, ...tools].sort()) {
    const path = join(root, file);
    if (ignored.test(file.replaceAll("\\", "/")) || !existsSync(path) || !statSync(path).isFile()) continue;
    digest.update(`${file}\0`).update(readFileSync(path)).update("\0");
  }
  return digest.digest("hex");
}

/** True when the last finished build had these inputs and its files are still there. */
export function isFresh(root: string, workspace: Workspace, digest: string): boolean {
  const stamp = join(root, workspace.folder, stampFile);
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== digest) return false;
  const { entries, singleFiles } = workspace;
  const outputs = workspace.isWebsite ? ["dist/index.html"] : [...entries, ...singleFiles].map(({ built }) => built);
  return outputs.every((output) => existsSync(join(root, workspace.folder, output)));
}

/** Called after the last output is written: a build that was interrupted leaves no stamp and is done again. */
export function markFresh(root: string, workspace: Workspace, digest: string): void {
  mkdirSync(join(root, workspace.folder, "dist"), { recursive: true });
  writeFileSync(join(root, workspace.folder, stampFile), digest);
}

function reachedFolders(workspace: Workspace, all: readonly Workspace[]): string[] {
  const byName = new Map(all.map((one) => [one.name, one]));
  const reached = new Set([workspace]);
  for (const one of reached) {
    for (const name of one.dependencies) {
      const next = byName.get(name);
      if (next) reached.add(next);
    }
  }
  return [...reached].map(({ folder }) => folder);
}

const bundledFolders = (workspace: Workspace, all: readonly Workspace[]): string[] =>
  all
    .filter(({ name }) => bundledPackages.includes(name) && workspace.dependencies.includes(name))
    .map(({ folder }) => folder);
