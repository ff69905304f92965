/**
 * Files under SVC_HOME hold secrets, sessions and the inputs of tasks, so only the service's own user may read them: files 0600, folders
 * 0700. New ones get their mode from the umask of the command; this corrects those that exist.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

/** Maximum entries of one walk; a home with more of them is not svc's own folder. */
const maxEntries = 10_000;
const namesPerWarning = 5;
const othersMask = 0o077;
const isSvcFile = (name: string): boolean =>
  /^(secret\.env|config\.env|session\.json|svc\.db)/.test(name) || name === "agent";

/**
 * Removes the permissions of group and others from everything under the home directory. Never throws, never follows a symbolic link, and
 * never changes another user's files. Call it before the process opens a database: closing a file drops the locks that SQLite holds on it.
 *
 * @returns warnings for people: what was open to others and is corrected, and what could not be corrected.
 */
export function secureHome(home: string): string[] {
  let root: string;
  try {
    // A link at the home itself was chosen by the operator; links below it are not followed.
    root = realpathSync(home);
  } catch {
    return [];
  }
  const isOwnFolder = root !== userHome() && dirname(root) !== root;
  const pass = createPass(root);
  if (isOwnFolder) pass.correct(root);
  const names = namesIn(root);
  for (const name of isOwnFolder ? names : names.filter(isSvcFile)) pass.walk(join(root, name));
  return pass.warnings();
}

/** The user's home directory, without the links on the way to it. */
function userHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    return homedir();
  }
}

/** The same for the file of an embedded database and its SQLite side files, wherever they are. */
export function secureDatabaseFiles(path: string): string[] {
  const pass = createPass(dirname(path));
  for (const suffix of ["", "-wal", "-shm", "-journal"]) pass.correct(path + suffix);
  return pass.warnings();
}

function createPass(root: string) {
  const corrected: string[] = [];
  const refused: string[] = [];
  const nameOf = (path: string) => relative(root, path) || root;
  let left = maxEntries;

  /** Corrects the mode of an entry; true if it is a folder. */
  function correct(path: string): boolean {
    const found = statOf(path);
    if (found === null || !isKnownKind(found)) return false;
    if ((found.mode & othersMask) === 0) return found.isDirectory();
    if (restrict(path, found)) corrected.push(nameOf(path));
    else refused.push(nameOf(path));
    return found.isDirectory();
  }

  function walk(path: string): void {
    left -= 1;
    if (left < 0 || !correct(path)) return;
    for (const name of namesIn(path)) walk(join(path, name));
  }

  return {
    correct,
    walk,
    warnings(): string[] {
      const found: string[] = [];
      if (corrected.length > 0)
        found.push(`${listed(corrected)} in ${root} could be read by other users of this machine; corrected`);
      if (refused.length > 0)
        found.push(
          `${listed(refused)} in ${root} can be read by other users of this machine, and this user cannot change that`,
        );
      if (left < 0)
        found.push(`${root} holds more than ${maxEntries} files; the permissions of the rest were not checked`);
      return found;
    },
  };
}

const isKnownKind = (stats: Stats): boolean => stats.isFile() || stats.isDirectory();

function listed(names: readonly string[]): string {
  const more = names.length - namesPerWarning;
  return names.slice(0, namesPerWarning).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Changes the mode of exactly the file that was found, even if it is swapped for a link in between. */
function restrict(path: string, found: Stats): boolean {
  if (found.uid !== process.getuid?.()) return false;
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { ino, dev, mode } = fstatSync(file);
      if (ino !== found.ino || dev !== found.dev) return false;
      // An executable stays executable.
      const keptMode = found.isDirectory() ? 0o700 : 0o600 | (isSvcFile(basename(path)) ? 0 : mode & 0o100);
      fchmodSync(file, keptMode);
      return true;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
