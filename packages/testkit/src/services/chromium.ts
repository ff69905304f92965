import { findOrInstall, isExecutable } from "./debian-package.ts";

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
  const wanted = { what: "chromium", names, command: installCommand, boundMs: installBoundMs };
  return findOrInstall(wanted, environment.PATH);
}

/**
 * Options for `chromium.launch` of playwright-core. Every test starts the browser with them: nothing in it may reach out to the network, and
 * no graphics card is needed.
 */
export function chromiumLaunch(executablePath: string) {
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
