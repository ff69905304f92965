import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFiles } from "../check-files.ts";
import { type Affected, affectedTests } from "./affected.ts";
import { importGraph, type SourcePackage } from "./import-graph.ts";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly source?: string } | string>>;
}

/**
 * The tests that changes since a commit, or since the branch point, can affect: committed, uncommitted, untracked and deleted files.
 * @throws Error for a commit that git does not know.
 */
export function affectedSince(root: string, commit: string): Affected {
  const changed = git(root, "diff", "--name-only", "--no-renames", "--merge-base", "--end-of-options", commit, "--");
  return affectedBy(root, [...changed, ...git(root, "ls-files", "--others", "--exclude-standard")]);
}

/** The same for these files. */
export function affectedBy(root: string, changed: readonly string[]): Affected {
  const existing = projectFiles(root);
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "");
  const packages = existing
    .filter((file) => /^(?:packages\/[^/]+|engines\/[^/]+|bench)\/package\.json$/.test(file))
    .map((file) => sourcePackage(file, JSON.parse(read(file)) as Manifest));
  const files = [...new Set([...existing, ...changed])];
  return affectedTests(changed, importGraph(files, packages, read), existing);
}

function sourcePackage(file: string, { name, exports = {} }: Manifest): SourcePackage {
  const sources = Object.entries(exports).map(([key, entry]) => [
    key,
    typeof entry === "string" ? entry : entry.source,
  ]);
  return {
    name,
    folder: file.replace(/\/package\.json$/, ""),
    exports: Object.fromEntries(sources.filter(([, source]) => source !== undefined)),
  };
}

function git(root: string, ...args: readonly string[]): string[] {
  const [command = "", ...rest] = args;
  const printed = execFileSync("git", [command, "-z", ...rest], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return printed.split("\0").filter((path) => path !== "");
}
