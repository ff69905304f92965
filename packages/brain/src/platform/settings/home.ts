/** SVC_HOME: created on the first start with mode 0700, with the secrets that are generated into it. */

import { randomBytes } from "node:crypto";
import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Random bytes of a minted secret. */
const mintedBytes = 48;

/** The absolute home directory; `~` is the user's own, a relative path counts from `cwd`. */
export function resolveHome(text: string | undefined, cwd: string): string {
  if (text === undefined || text === "") return join(homedir(), ".svc");
  if (text === "~" || text.startsWith("~/")) return join(homedir(), text.slice(2));
  return resolve(cwd, text);
}

/** Why this directory cannot be created: a part of its path is a file. Null if none is. */
export function homeFault(home: string): string | null {
  const [nearest] = waysDown(home);
  if (nearest === undefined || statSync(nearest).isDirectory()) return null;
  return `cannot be ${home}: ${nearest} is not a directory`;
}

/** The nearest existing ancestor of `path`, then the missing folders below it, down to `path`. */
function waysDown(path: string): string[] {
  const way = [path];
  for (let at = path; !existsSync(at) && dirname(at) !== at; ) {
    at = dirname(at);
    way.unshift(at);
  }
  return way;
}

/**
 * Creates the directory and its missing parents one at a time: Node's recursive mkdir never returns where creating a folder fails with
 * ENOENT, as below /proc.
 */
function makeHome(home: string): void {
  for (const path of waysDown(home).slice(1)) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process that starts at the same time has created it.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** The message for a home directory that cannot be used. */
export function unusableHome(home: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  return `cannot be ${home}: the directory cannot be created or written (${code})`;
}

/** The text of a file, or null when it does not exist. Other failures throw. */
export function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Appends a fresh value for each name to secret.env. Two processes may do so at once: lines are only appended, both read
 * the file again afterwards, and the first line of a name counts for both.
 */
export function mintSecrets(home: string, names: readonly string[]): void {
  makeHome(home);
  const path = join(home, "secret.env");
  const present = readIfPresent(path);
  const separator = present === null || present === "" || present.endsWith("\n") ? "" : "\n";
  const lines = names.map((name) => `${name}=${randomBytes(mintedBytes).toString("base64url")}\n`).join("");
  const file = openSync(path, "a", 0o600);
  try {
    appendFileSync(file, separator + lines);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Warnings about other users who may read the home directory or its secrets. */
export function openToOthers(home: string): string[] {
  const warnings: string[] = [];
  for (const path of [home, join(home, "secret.env")]) {
    try {
      if ((statSync(path).mode & 0o077) !== 0) warnings.push(`${path} can be read by other users of this machine`);
    } catch {
      // It does not exist, so there is nothing to read.
    }
  }
  return warnings;
}
