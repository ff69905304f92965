import { statfsSync, statSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const ownerFile = "owner";
const memoryFileSystem = { folder: "/dev/shm", type: 0x01021994 };
/** Required memory and space in the memory file system: many times the size of a run's databases. */
const memoryNeededBytes = 4 * 1024 ** 3;

/** Creates a folder that all accounts may enter, marked with the process that owns it. The owner removes it. */
export async function makeServiceFolder(service: string, root = enterableRoot()): Promise<string> {
  const folder = await mkdtemp(join(root, `svc-${service}-`));
  await chmod(folder, 0o755);
  await writeFile(join(folder, ownerFile), `${process.pid} ${await startOf(process.pid)}`);
  return folder;
}

/**
 * Removes the folders of killed runs, whose owner has ended, after ending the server whose pid file is in them. Folders of running
 * processes and of other users stay.
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
      () => {}, // another run removes the same folder, or this user may not remove it
    );
  }
  return swept;
}

/**
 * The folder for temporary files. As root, the system's default if other accounts could not enter TMPDIR (below a folder of mode 0700).
 */
export function enterableRoot(preferred = tmpdir()): string {
  if (process.getuid?.() !== 0) return preferred;
  return [preferred, "/tmp", "/var/tmp"].find(isEnterableByAll) ?? preferred;
}

/**
 * The folder for files that are not needed after the run: in memory, which takes a tenth of the time, or on disk when memory is low or
 * TMPDIR is set.
 */
export function memoryRoot(): string {
  if (process.env.TMPDIR !== undefined) return enterableRoot();
  try {
    const { type, bavail, bsize } = statfsSync(memoryFileSystem.folder);
    const freeBytes = Math.min(bavail * bsize, process.availableMemory());
    if (type === memoryFileSystem.type && freeBytes >= memoryNeededBytes) return memoryFileSystem.folder;
  } catch {
    // This system has no file system in memory.
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

/** The first line of a PostgreSQL pid file is its process, the second its data folder: both must match before the process is ended. */
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
    // it ended between the check and the signal
  }
}

/** Start time of a process in clock ticks since boot, which distinguishes it from a later one with the same id; "ended" without a process. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return isAlive(pid) ? "alive" : "ended";
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
