#!/usr/bin/env node
// Plain JavaScript that old Node versions can parse. It finds the built entry, or the source in an unbuilt checkout, and a Node that
// can run it. The file is committed because npm links a bin only if its file exists at install time.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const minimumMajor = 24;
const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));

const builtEntry = join(packageFolder, "dist", "svc.js");
const isBuilt = existsSync(builtEntry);
const entry = isBuilt ? builtEntry : join(packageFolder, "src", "main.ts");
const flags = [...(isBuilt ? [] : ["--conditions=source"]), ...memoryFlags()];
// Fewer arenas, and large blocks returned immediately. The C library reads these before the program starts.
const environment = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072", ...process.env };

const isNewEnough = Number(process.versions.node.split(".")[0]) >= minimumMajor;
const isPrepared = process.env.MALLOC_ARENA_MAX !== undefined && flags.every((flag) => process.execArgv.includes(flag));
if (isNewEnough && isPrepared) {
  import(pathToFileURL(entry).href);
} else {
  const node = isNewEnough ? process.execPath : installedNode();
  if (node === undefined) refuse(`and this is ${process.versions.node}`);
  else become(node, [...flags, entry, ...process.argv.slice(2)]);
}

/**
 * Keeps the service's memory low: without a limit, V8 lets the heap grow fourfold between collections. The limit is far above any need. A
 * limit in NODE_OPTIONS takes precedence.
 */
function memoryFlags() {
  if (/max[-_]old[-_]space[-_]size/.test(process.env.NODE_OPTIONS ?? "")) return [];
  return ["--max-semi-space-size=8", "--max-old-space-size=512"];
}

/** The Node installed by `npm ci`, in the nearest node_modules. */
function installedNode() {
  for (let folder = packageFolder; ; folder = dirname(folder)) {
    const node = join(folder, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
    if (existsSync(node)) return node;
    if (folder === dirname(folder)) return undefined;
  }
}

function become(node, args) {
  // Replacing the process leaves no parent that must forward signals. Node before 23.11 cannot do it.
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(node, [node, ...args], environment);
    return;
  }
  const child = spawn(node, args, { stdio: "inherit", env: environment });
  // A terminal sends Ctrl-C to the child as well. A second SIGINT would skip the drain.
  const forwarded = ["SIGTERM", "SIGHUP", "SIGUSR2", "SIGINT"];
  for (const signal of forwarded) {
    process.on(signal, () => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("error", (fault) => refuse(`and the one in node_modules does not start (${fault.message})`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function refuse(found) {
  console.error(
    `svc: Node ${minimumMajor} or newer is required ${found}. Run "npm ci" at the repository root, or install Node ${minimumMajor}`,
  );
  process.exitCode = 1;
}
