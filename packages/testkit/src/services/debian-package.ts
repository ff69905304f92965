import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const isLockMessage = /^E: (?:Could not get lock|Unable to (?:lock|acquire))/m;
/** Between two attempts while another installation holds the lock. */
const retryMs = 1000;

interface Wanted {
  /** For people: `redis-server`. */
  readonly what: string;
  /** The first of these programs that is found is used. */
  readonly names: readonly string[];
  /** What installs Debian's package, for a shell. */
  readonly command: string;
  readonly boundMs: number;
}

/**
 * Path of a program on the PATH; one that is missing is installed first when this process may do so.
 *
 * @throws Error with the command to type when there is none and it cannot be installed.
 */
export async function findOrInstall(wanted: Wanted, path = process.env.PATH): Promise<string> {
  const { what, names, command, boundMs } = wanted;
  const present = await onPath(names, path);
  if (present) return present;
  const isRoot = process.getuid?.() === 0;
  const refusal = (reason: string, cause?: unknown) =>
    new Error(`${what} is missing and ${reason}. Type: ${isRoot ? "" : "sudo "}sh -c '${command}'`, { cause });
  if (!isRoot) throw refusal("only root may install it");
  if (!(await onPath(["apt-get"], path))) throw refusal("this system has no apt-get");
  const untilMs = performance.now() + boundMs;
  for (;;) {
    try {
      // In run level 1 Debian's set-up scripts start no service, so no second server appears on the default port.
      const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
      await run("sh", ["-c", command], { env, timeout: boundMs, maxBuffer: 64 * 1024 * 1024 });
      break;
    } catch (cause) {
      // Another installation, as of updates or of a second test run; it may be of the same package.
      const isLocked = isLockMessage.test((cause as { stderr?: string }).stderr ?? "");
      if (!isLocked || performance.now() > untilMs) throw refusal("apt-get could not install it", cause);
      await pause(retryMs);
      if (await onPath(names, path)) break;
    }
  }
  const installed = await onPath(names, path);
  if (!installed) throw refusal(`the package brought no ${what}`);
  return installed;
}

async function onPath(names: readonly string[], path = ""): Promise<string | undefined> {
  const folders = [...path.split(delimiter), "/usr/bin", "/usr/local/bin"].filter((folder) => folder !== "");
  for (const name of names) {
    for (const folder of folders) {
      const candidate = join(folder, name);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
