import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const installBoundMs = 600_000;
const install = "apt-get install -y --no-install-recommends";
const installCommand = `apt-get update && (${install} chromium-headless-shell || ${install} chromium)`;
/** The first one found is used: the shell has no windows to draw, so a page takes it less than half the processor time. */
const names = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
];

/** How every test starts the browser: nothing in it may reach out to the network, and no graphics card is needed. */
export interface ChromiumLaunch {
  readonly executablePath: string;
  readonly args: readonly string[];
}

/**
 * The browser for tests: SVC_TEST_CHROMIUM when set, else the one on the PATH, else Debian's package, which is installed when
 * this process may do so.
 *
 * @throws Error with the command to type when there is none and it cannot be installed.
 */
export async function findChromium(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const given = environment.SVC_TEST_CHROMIUM;
  if (given) {
    if (await isExecutable(given)) return given;
    throw new Error(`SVC_TEST_CHROMIUM names ${given}, which cannot be run`);
  }
  const present = await onPath(environment.PATH);
  if (present) return present;
  const refusal = (reason: string, cause?: unknown) =>
    new Error(`chromium is missing and ${reason}. Type: ${sudo()}sh -c '${installCommand}'`, { cause });
  if (process.getuid?.() !== 0) throw refusal("only root may install it");
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("sh", ["-c", installCommand], { env, timeout: installBoundMs, maxBuffer: 64 * 1024 * 1024 });
  } catch (cause) {
    throw refusal("apt-get could not install it", cause);
  }
  const installed = await onPath(environment.PATH);
  if (!installed) throw refusal("the package brought no browser");
  return installed;
}

/** Options for `chromium.launch` of playwright-core. */
export function chromiumLaunch(executablePath: string): ChromiumLaunch {
  // Chromium refuses its sandbox to root, which is what most build machines run as.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return {
    executablePath,
    args: [
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-gpu",
      ...sandbox,
    ],
  };
}

function sudo(): string {
  return process.getuid?.() === 0 ? "" : "sudo ";
}

async function onPath(path = ""): Promise<string | undefined> {
  const folders = [...path.split(delimiter), "/usr/bin", "/usr/local/bin"].filter((folder) => folder !== "");
  for (const name of names) {
    for (const folder of folders) {
      const candidate = join(folder, name);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
