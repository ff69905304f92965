import { findOrInstall, isExecutable } from "./debian-package.ts";

const installBoundMs = 600_000;
const install = "apt-get install -y --no-install-recommends";
const installCommand = `apt-get update && (${install} chromium-headless-shell || ${install} chromium)`;
/** In order of preference: the headless shell draws no windows, so a page takes less than half the processor time. */
const names = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
];

/**
 * The browser for tests: SVC_TEST_CHROMIUM if set, else one on the PATH, else Debian's package, which is installed if this process has
 * the rights.
 *
 * @throws Error with the command to run when no browser is found or can be installed.
 */
export async function findChromium(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const given = environment.SVC_TEST_CHROMIUM;
  if (given) {
    if (await isExecutable(given)) return given;
    throw new Error(`SVC_TEST_CHROMIUM is ${given}, which can't be run`);
  }
  const wanted = { what: "chromium", names, command: installCommand, boundMs: installBoundMs };
  return findOrInstall(wanted, environment.PATH);
}

/**
 * Options for `chromium.launch` of playwright-core. All tests use them: the browser makes no network requests of its own and needs no
 * graphics card.
 */
export function chromiumLaunch(executablePath: string) {
  // Chromium's sandbox does not run as root, which is the user on most build machines.
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
