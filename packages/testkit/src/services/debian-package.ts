import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const isLockMessage = /^E: (?:Could not get lock|Unable to (?:lock|acquire))/m;
/** Pause between attempts while another installation holds the lock. */
const retryMs = 1000;

interface Wanted {
  /** Display name: `redis-server`. */
  readonly what: string;
  /** Program names, in order of preference. */
  readonly names: readonly string[];
  /** Shell command that installs Debian's package. */
  readonly command: string;
  readonly boundMs: number;
}

/**
 * The path of a program on the PATH; a missing one is installed first if this process has the rights.
 *
 * @throws Error with the command to run when it is missing and cannot be installed.
 */
export async function findOrInstall(wanted: Wanted, path = process.env.PATH): Promise<string> {
  const { what, names, command, boundMs } = wanted;
  const present = await onPath(names, path);
  if (present) return present;
  const isRoot = process.getuid?.() === 0;
  const refusal = (reason: string, cause?: unknown) =>
    new Error(`${what} is missing and ${reason}. Run: ${isRoot ? "" : "sudo "}sh -c '${command}'`, { cause });
  if (!isRoot) throw refusal("only root can install it");
  if (!(await onPath(["apt-get"], path))) throw refusal("this system has no apt-get");
  const untilMs = performance.now() + boundMs;
  for (;;) {
    try {
      // In run level 1, Debian's setup scripts start no service, so that no second server runs on the default port.
      const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
      await run("sh", ["-c", command], { env, timeout: boundMs, maxBuffer: 64 * 1024 * 1024 });
      break;
    } catch (cause) {
      // Another installation holds the lock, such as an update or a second test run; it may install the same package.
      const isLocked = isLockMessage.test((cause as { stderr?: string }).stderr ?? "");
      if (!isLocked || performance.now() > untilMs) throw refusal("apt-get could not install it", cause);
      await pause(retryMs);
      if (await onPath(names, path)) break;
    }
  }
  const installed = await onPath(names, path);
  if (!installed) throw refusal(`the package does not contain ${what}`);
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
