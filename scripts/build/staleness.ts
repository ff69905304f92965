import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "./workspaces.ts";

const stampFile = "dist/.stamp";
const ignored = /(^|\/)(dist|node_modules|coverage)(\/|$)|[.]test[.]tsx?$|[.]tsbuildinfo$/;

/**
 * Packages of many small modules, which are bundled into their importers as far as they are used: otherwise a thread that needs one
 * function of the protocol would load a thousand modules. All other packages stay imports.
 */
export const bundledPackages: readonly string[] = ["@svc/protocol", "typebox", "kysely"];

/**
 * A digest of all inputs of a package's build: its files, those of the packages bundled into it, and the tools. It uses contents and not
 * times, so that a checkout or a branch switch rebuilds only changed packages.
 */
export function inputsDigest(root: string, workspace: Workspace, all: readonly Workspace[]): string {
  const digest = createHash("sha256");
  // Modules keep most imports of other packages; websites and single files bundle them all.
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

/** Whether the last finished build had these inputs and its files still exist. */
export function isFresh(root: string, workspace: Workspace, digest: string): boolean {
  const stamp = join(root, workspace.folder, stampFile);
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== digest) return false;
  const { entries, singleFiles } = workspace;
  const outputs = workspace.isWebsite ? ["dist/index.html"] : [...entries, ...singleFiles].map(({ built }) => built);
  return outputs.every((output) => existsSync(join(root, workspace.folder, output)));
}

/** Called after the last output is written: an interrupted build leaves no stamp and runs again. */
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
