import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

// With a registry mirror that has packages for one platform only, `npm install` writes a lock file without the others, and `npm ci`
// rejects that lock file everywhere. This adds the missing entries; `npm ci` skips them on other platforms.

interface LockEntry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface LockFile {
  packages: Record<string, LockEntry>;
}

const processors = ["x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "loong64"];
const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];

/** Adds missing entries for pinned optional dependencies of single platforms; returns their names. */
export function completeLock(lock: LockFile): string[] {
  const added: string[] = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const words = name.split(/[/-]/);
      const os = systems.filter((system) => words.includes(system));
      const cpu = processors.filter((processor) => words.includes(processor));
      const isPinned = /^\d+\.\d+\.\d+/.test(version);
      if (isPresent(lock, path, name) || os.length === 0 || cpu.length === 0 || !isPinned) continue;
      const libc = words.some((word) => word.startsWith("musl"))
        ? ["musl"]
        : words.some((word) => word.startsWith("gnu"))
          ? ["glibc"]
          : undefined;
      lock.packages[`node_modules/${name}`] = {
        version,
        cpu,
        ...(entry.dev ? { dev: true } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        os,
      };
      added.push(name);
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  return added.sort();
}

/** Searches like Node: below the dependent, then below each parent folder. */
function isPresent(lock: LockFile, dependent: string, name: string): boolean {
  const parts = dependent.split("/");
  const above = parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/`);
  return ["", ...above].some((folder) => lock.packages[`${folder}node_modules/${name}`] !== undefined);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const added = completeLock(lock);
  if (added.length > 0) writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
  console.log(added.length === 0 ? "the lock file is complete" : `added to the lock file:\n  ${added.join("\n  ")}`);
}
