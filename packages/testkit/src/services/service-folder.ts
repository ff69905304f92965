import { statfsSync, statSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const ownerFile = "owner";
const memoryFileSystem = { folder: "/dev/shm", type: 0x01021994 };
/** Of the machine's memory and of the file system in it: many times what the databases of a run hold at any moment. */
const memoryNeededBytes = 4 * 1024 ** 3;

/** Makes a folder that every account may enter, marked with the process that owns it. The owner removes it. */
export async function makeServiceFolder(service: string, root = enterableRoot()): Promise<string> {
  const folder = await mkdtemp(join(root, `svc-${service}-`));
  await chmod(folder, 0o755);
  await writeFile(join(folder, ownerFile), `${process.pid} ${await startOf(process.pid)}`);
  return folder;
}

/**
 * Removes what runs that were killed left behind: folders whose owner is gone, after ending the server whose pid file lies in them.
 * Folders of runs that live, and of other users, stay.
 */
export async function sweepAbandonedFolders(
  service: string,
  roots: readonly string[] = [enterableRoot(), memoryFileSystem.folder],
): Promise<readonly string[]> {
  const swept: string[] = [];
  const folders = await Promise.all(
    roots.map(async (root) => (await readdir(root).catch(() => [])).map((name) => join(root, name))),
  );
  for (const folder of folders.flat()) {
    if (!basename(folder).startsWith(`svc-${service}-`)) continue;
    const owner = await readFile(join(folder, ownerFile), "utf8").catch(() => undefined);
    if (owner === undefined) continue;
    const [pid, start] = owner.split(" ");
    if ((await startOf(Number(pid))) === start) continue;
    await endLeftServer(join(folder, "data", "postmaster.pid"));
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).then(
      () => swept.push(folder),
      () => {}, // another run sweeps the same folder, or it is not ours to remove
    );
  }
  return swept;
}

/**
 * The folder for temporary files; as root, when another account could not enter it (a TMPDIR below a folder of mode 0700), the
 * system's own one.
 */
export function enterableRoot(preferred = tmpdir()): string {
  if (process.getuid?.() !== 0) return preferred;
  return [preferred, "/tmp", "/var/tmp"].find(isEnterableByAll) ?? preferred;
}

/**
 * The folder for many files that no test needs after the run: in memory, where making and removing them takes a tenth of the time; on disk
 * when there is little memory, or when TMPDIR names a place.
 */
export function memoryRoot(): string {
  if (process.env.TMPDIR !== undefined) return enterableRoot();
  try {
    const { type, bavail, bsize } = statfsSync(memoryFileSystem.folder);
    const freeBytes = Math.min(bavail * bsize, process.availableMemory());
    if (type === memoryFileSystem.type && freeBytes >= memoryNeededBytes) return memoryFileSystem.folder;
  } catch {
    // There is none on this system.
  }
  return enterableRoot();
}

function isEnterableByAll(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const mode = statSync(at, { throwIfNoEntry: false })?.mode;
    if (mode === undefined || (mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** The first line of a PostgreSQL pid file is its process, the second its data folder: both must match before it is ended. */
async function endLeftServer(pidFile: string): Promise<void> {
  const text = await readFile(pidFile, "utf8").catch(() => undefined);
  const pid = Number(text?.split("\n")[0]);
  const data = text?.split("\n")[1];
  if (!Number.isInteger(pid) || pid <= 1 || !data) return;
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (!command.split("\0").includes(data)) return;
  try {
    process.kill(pid, "SIGQUIT");
  } catch {
    // it ended between the look and the signal
  }
}

/** Start time of a process in clock ticks since boot, which tells it from a later one with the same id; "gone" when there is none. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return isAlive(pid) ? "alive" : "gone";
  const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return afterName[19] ?? "alive";
}

/** For systems without /proc. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "EPERM";
  }
}
