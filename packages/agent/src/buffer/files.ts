import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { AgentLog } from "../adapter.ts";
import { reasonOf } from "../runtime/log.ts";
import { BufferStore, NewerBufferError, type StoreLimits } from "./store.ts";

export interface BufferPlace {
  readonly directory: string;
  readonly name: string;
  readonly limits: StoreLimits;
}

const maxFiles = 64;
const adoptBytes = 16 * 1024 * 1024;
const busy = 5;
const damaged = new Set([11, 26]);

/**
 * Opens the first buffer file of the name that no other process has locked, so that each process of an application has its own file and a
 * restarted process finds its predecessor's. Copies the newest positions and command records from all unlocked files: with an old position,
 * events that other processes delivered would count as missed. A corrupt file is renamed to `.damaged` (one is kept) and replaced.
 *
 * @throws Error when the directory cannot be used or all 64 files are locked.
 */
export function openBufferFile(place: BufferPlace, log: AgentLog): BufferStore {
  makeDirectory(place.directory);
  secureFiles(place, log);
  for (let index = 0; index < maxFiles; index += 1) {
    const path = pathOf(place, index);
    let own: BufferStore;
    try {
      own = openOwn(path, place);
    } catch (error) {
      if (codeOf(error) === busy || error instanceof NewerBufferError) continue;
      if (!damaged.has(codeOf(error))) throw error;
      setAside(path);
      log.error("buffer file was corrupt and has been renamed, its events are lost", {
        path: `${path}.damaged`,
        reason: reasonOf(error),
      });
      own = openOwn(path, place);
    }
    try {
      forEachLeftover(place, own, (other) => {
        own.mergeCursors(other.cursors());
        adoptCommands(own, other);
      });
    } catch (error) {
      own.close();
      throw error;
    }
    return own;
  }
  throw new Error(`all ${maxFiles} buffer files named ${place.name} are locked by other processes`);
}

/** Creates the file with mode 0600, because it contains task inputs. SQLite gives its journal the same mode. */
function openOwn(path: string, { limits }: BufferPlace): BufferStore {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return new BufferStore(path, limits, undefined);
}

/**
 * Removes other users' permissions from existing buffer files before any is opened. The process may belong to an application, so its umask
 * and folders that the agent did not create stay unchanged. Links and files of other users are skipped.
 */
function secureFiles(place: BufferPlace, log: AgentLog): void {
  const open: string[] = [];
  for (let index = 0; index < maxFiles; index += 1) {
    for (const suffix of ["", "-wal", "-shm", "-journal", ".damaged"]) {
      const path = pathOf(place, index) + suffix;
      if (!secureFile(path)) open.push(path);
    }
  }
  const [path] = open;
  if (path !== undefined) {
    const message = "buffer files are readable by other users, and their permissions cannot be changed";
    log.warn(message, { path, files: open.length });
  }
}

/** False when other users can still read the file. */
function secureFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & 0o077) === 0) return true;
  if (found.uid !== process.getuid?.()) return false;
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      fchmodSync(file, 0o600);
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Moves entries of files without a running process into `own`, up to 16 MiB per call, so that the third process's entries are sent when
 * only two of three processes start again.
 */
export function adoptLeftovers(place: BufferPlace, own: BufferStore, nowMs: number): number {
  let adopted = 0;
  let leftBytes = adoptBytes;
  forEachLeftover(place, own, (other) => {
    for (const lane of ["control", "events"] as const) {
      if (leftBytes <= 0) return;
      const entries = other.read(lane, 0, { maxEntries: other.depth, maxBytes: leftBytes });
      own.apply({ add: entries }, nowMs);
      other.apply({ remove: entries.map(({ seq }) => seq) }, nowMs);
      adopted += entries.length;
      leftBytes -= entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    }
    adoptCommands(own, other);
  });
  return adopted;
}

/** Moves the command records of an ended process, so that a successor reports their results. */
function adoptCommands(own: BufferStore, other: BufferStore): void {
  const commands = other.commands.all();
  if (commands.length === 0) return;
  own.apply({ commands: commands.filter(({ id }) => own.commands.find(id) === undefined) }, 0);
  other.apply({ forget: commands.map(({ id }) => id) }, 0);
}

/**
 * Exchanges positions with files without a running process, so that a process that opens one of them during a rolling restart continues from
 * the newest position.
 */
export function shareCursors(place: BufferPlace, own: BufferStore): void {
  forEachLeftover(place, own, (other) => {
    own.mergeCursors(other.cursors());
    other.mergeCursors(own.cursors());
  });
}

/** Opens each unlocked file in turn. Skips corrupt ones. */
function forEachLeftover(place: BufferPlace, own: BufferStore, work: (other: BufferStore) => void): void {
  for (let index = 0; index < maxFiles; index += 1) {
    const path = pathOf(place, index);
    if (path === own.path || !existsSync(path)) continue;
    let other: BufferStore;
    try {
      other = new BufferStore(path, place.limits, undefined);
    } catch {
      continue;
    }
    try {
      work(other);
    } catch (error) {
      if (!isDamage(error)) throw error;
    } finally {
      other.close();
    }
  }
}

/** True when SQLite reports that the file itself is corrupt, not only inaccessible. */
export function isDamage(error: unknown): boolean {
  return damaged.has(codeOf(error));
}

/** Renames a corrupt file, so that a new one can be created under its name. */
export function setAside(path: string): void {
  renameSync(path, `${path}.damaged`);
  for (const suffix of ["-wal", "-shm"]) if (existsSync(path + suffix)) rmSync(path + suffix);
}

/**
 * Creates the directory and its missing parents one by one. Node's recursive mkdir never ends where creating a directory fails with ENOENT,
 * as in /proc.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process of the application created it at the same time.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function pathOf({ directory, name }: BufferPlace, index: number): string {
  return join(directory, `${name}-${index}.db`);
}

/** SQLite's primary result code, 0 for other errors. */
function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : 0;
}
