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
 * Opens the first buffer file of the name that no other process holds, so that several processes of one application each have
 * their own and a restarted one finds what its predecessor left. The newest positions are taken over from all files that nobody
 * holds: with an old one, what others have read and delivered would count as missed; so is what they know of commands. A damaged file is set aside as `.damaged` (one
 * is kept) and begun anew.
 *
 * @throws Error when the directory cannot be used or all 64 files are held.
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
      log.error("the agent's buffer file was damaged; it was set aside and its events are lost", {
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
  throw new Error(`all ${maxFiles} buffer files named ${place.name} are held by other processes`);
}

/** SQLite would let others of the machine read the inputs of tasks; its journal gets the mode of the file. */
function openOwn(path: string, { limits }: BufferPlace): BufferStore {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return new BufferStore(path, limits, undefined);
}

/**
 * Takes the rights of other users from the buffer files that exist, before any is opened. The process may belong to an application, so
 * neither its umask nor folders that the agent did not make are changed; links and files of other users are left alone.
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
    const message = "buffer files may be read by other users of this machine, and this user may not change that";
    log.warn(message, { path, files: open.length });
  }
}

/** False when others may still read the file. */
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
 * Moves entries of files whose process is gone into `own`, up to 16 MiB a call, so that what the third of three processes left is
 * sent when only two start again.
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

/** Moves what a process that is gone knew of commands, so that one of its successors answers for it. */
function adoptCommands(own: BufferStore, other: BufferStore): void {
  const commands = other.commands.all();
  if (commands.length === 0) return;
  own.apply({ commands: commands.filter(({ id }) => own.commands.find(id) === undefined) }, 0);
  other.apply({ forget: commands.map(({ id }) => id) }, 0);
}

/**
 * Exchanges positions with files whose process is gone: whoever opens one of them while this process lives goes on from here, as a
 * rolling restart does.
 */
export function shareCursors(place: BufferPlace, own: BufferStore): void {
  forEachLeftover(place, own, (other) => {
    own.mergeCursors(other.cursors());
    other.mergeCursors(own.cursors());
  });
}

/** Opens one file after the other that no process holds; damaged ones are left alone. */
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

/** True when SQLite says that the file itself is broken, not only out of reach. */
export function isDamage(error: unknown): boolean {
  return damaged.has(codeOf(error));
}

/** Renames a damaged file, so that a new one can be begun under its name. */
export function setAside(path: string): void {
  renameSync(path, `${path}.damaged`);
  for (const suffix of ["-wal", "-shm"]) if (existsSync(path + suffix)) rmSync(path + suffix);
}

/**
 * Makes the directory and what is missing above it. Step by step, because Node's own recursive form goes round for ever where the
 * system answers "no such directory" to making one, as /proc does.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process of the application made it at this moment.
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
