import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const maximumLines = 400;
const measured = /[.](ts|tsx|mts|css)$/;
const generated = /[.]generated[.]ts$|[.]gen[.]tsx?$/;
const refusedNames = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "manager", "managers", "base"];
const testFile = /[.]test[.]tsx?$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Files whose names are fixed by tools or the platform. */
const allowedNames = /^tsconfig[.]base[.]json$/;

const code = /[.](ts|tsx|mts|js|mjs)$/;
const notCounted = /[.]test[.]tsx?$|[.]d[.]ts$|[.]generated[.]ts$|[.]gen[.]tsx?$/;
const maximumFiles = 12;

const maximumIndexLines = 20;
/** A package lists all its exports in one file, which may be longer. */
const packageIndex = /^packages\/(client|protocol)\/src\/(task-query\/)?index[.]ts$/;
/** The text of an `index.ts` without comments: only exports from other files. */
const onlyExports = /^(\s*export (type )?([{][^{}]*[}]|[*]( as \w+)?) from "[^"]+";)*\s*$/;

const maximumDialectBranches = 25;
const dialectBranch = /\bdialect [!=]== "|\bisEmbedded\(/g;
const dialectFolder = "packages/brain/src/platform/database/dialects/";

const platformCode = /^packages\/brain\/src\/platform\/(?!.*(?:[.]test|-fixture)[.]ts$).*[.]ts$/;
/** Strings that name concepts or settings of task monitoring. The platform gets them from the composition root. */
const domainText =
  /"(?:tasks|workers|queues|commands|issues|schedule[rs]s?|notifications|automation|invitations|memberships|dead-letters|saved-views|bulk-retry-requests)(?::\w+)?"|\bSVC_(?:TASK|EVENT|COMMAND|QUEUE|WORKER|BULK|SCHEDUL|AUTOMATION|NOTIFICATION)\w*/g;

export interface FileFault {
  readonly path: string;
  readonly line?: number;
  readonly fault: string;
}

/** Checks one tracked file's name and text for the rules that no linter has. */
export function checkFile(path: string, text: string): FileFault[] {
  const faults: FileFault[] = nameFaults(path).map((fault) => ({ path, fault }));
  if (measured.test(path) && !generated.test(path)) {
    const lines = text.split("\n");
    const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
    if (count > maximumLines)
      faults.push({ path, fault: `${count} lines; maximum ${maximumLines}. Split it by verb or subject` });
  }
  if (testFile.test(path)) faults.push(...switchedOffTests(path, text));
  if (/(^|\/)index[.]tsx?$/.test(path)) faults.push(...indexFaults(path, text).map((fault) => ({ path, fault })));
  if (platformCode.test(path)) {
    for (const [word] of text.matchAll(domainText))
      faults.push({ path, fault: `the platform must not name ${word}. Pass it in from the composition root` });
  }
  return faults;
}

function indexFaults(path: string, text: string): string[] {
  const faults: string[] = [];
  const lines = text.trimEnd().split("\n").length;
  if (lines > maximumIndexLines && !packageIndex.test(path))
    faults.push(`${lines} lines; the maximum for an index is ${maximumIndexLines}`);
  if (!onlyExports.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")))
    faults.push("an index may only export from other files");
  return faults;
}

/** Counts the source files of each folder, without tests and generated files. */
export function checkFolders(paths: readonly string[]): FileFault[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!code.test(path) || notCounted.test(path)) continue;
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maximumFiles)
    .map(([path, count]) => ({
      path,
      fault: `${count} source files; maximum ${maximumFiles}. Create sub-folders by responsibility`,
    }));
}

/** Counts the brain's branches by database outside the folder for them. */
export function checkDialectBranches(files: readonly { readonly path: string; readonly text: string }[]): FileFault[] {
  const found = files
    .filter(({ path }) => path.startsWith("packages/brain/src/") && !path.startsWith(dialectFolder))
    .filter(({ path }) => code.test(path) && !notCounted.test(path))
    .map(({ path, text }) => ({ path, count: [...text.matchAll(dialectBranch)].length }));
  const total = found.reduce((sum, { count }) => sum + count, 0);
  if (total <= maximumDialectBranches) return [];
  return found
    .filter(({ count }) => count > 0)
    .map(({ path, count }) => ({
      path,
      fault: `${count} of ${total} branches by database; maximum ${maximumDialectBranches} outside ${dialectFolder}`,
    }));
}

function nameFaults(path: string): string[] {
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  const faults: string[] = [];
  for (const part of parts) {
    const stem = part.replace(/[.].*$/, "").toLowerCase();
    const words = stem.split("-");
    if (allowedNames.test(part)) continue;
    if (refusedNames.includes(stem) || refusedNames.some((name) => words.length > 1 && words.at(-1) === name)) {
      faults.push(`the name "${part}" is too generic. Name it after its subject`);
    }
  }
  if (
    /[.](ts|mts)$/.test(file) &&
    !kebabCase.test(file.replace(/([.](?:browser|property))?([.](test|d|config|generated|gen|tmp))?[.]m?ts$/, ""))
  ) {
    faults.push("file names must be kebab-case");
  }
  return faults;
}

/**
 * `.only`, `.todo` and `.skip` silently disable tests. A test that cannot run on all machines uses `.skipIf(condition)` or
 * `.runIf(condition)`: the run prints those with the reason in their name.
 */
function switchedOffTests(path: string, text: string): FileFault[] {
  const faults: FileFault[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const found = /\b(?:test|it|describe|suite)(?:[.]\w+)*[.](only|skip|todo)\b/.exec(line);
    if (found) faults.push({ path, line: index + 1, fault: `.${found[1]} disables a test` });
  }
  return faults;
}

/** Files that are tracked, or new and not ignored. Without git: all files except those of a build or install. */
export function projectFiles(root: string): string[] {
  return (filesOfGit(root) ?? filesOfFolder(root)).sort();
}

function filesOfGit(root: string): string[] | undefined {
  try {
    // Git refuses a checkout of another account unless it is declared safe.
    const args = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const listed = execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 << 20,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path)));
  } catch {
    return undefined;
  }
}

function filesOfFolder(root: string): string[] {
  const ignored = /(^|\/)(node_modules|dist|coverage|results|[.]git)(\/|$)/;
  return globSync("**/*", { cwd: root, exclude: (path) => ignored.test(path) }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );
}

function main(root: string): void {
  const paths = projectFiles(root);
  const files = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const faults = [
    ...files.flatMap(({ path, text }) => checkFile(path, text)),
    ...checkFolders(paths),
    ...checkDialectBranches(files),
  ];
  for (const { path, line, fault } of faults) console.error(`${path}${line === undefined ? "" : `:${line}`}: ${fault}`);
  console.log(`${paths.length} files: ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.cwd());
