import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { builtProgram, plainEnvironment } from "@svc/testkit/built-program";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocumentedShop, startDocumentedShop } from "./documented-shop.ts";
import { scratchFolder } from "./svc-process.ts";

const root = join(import.meta.dirname, "../../..");
const pages = globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], {
  cwd: root,
  exclude: (path) => path.includes("node_modules") || path.startsWith("docs/plan"),
}).sort();

/** Blocks that this test skips, by a pattern of their text, with what runs them instead or why nothing does. */
const elsewhere: readonly (readonly [block: RegExp, why: string])[] = [
  [/npm (ci|start|install|run build)/, "the check of a fresh clone installs, builds and starts the service"],
  [/npx svc demo/, "demo.test.ts starts the demo"],
  [/npx svc serve --workers/, "the flow test workers.test.ts starts several processes"],
  [/npx svc changepassword/, "account-rescue.test.ts; it asks on a terminal"],
  [/npx svc schedules run/, "schedules.test.ts; it shares its rate limit with the dead letters here"],
  [/npx svc scheduler serve/, "scheduler.test.ts starts a scheduler"],
  [/npx svc login/, "login.test.ts; it asks on a terminal"],
  [/svc-agent\.mjs/, "first-task.browser.test.ts and agent-file.test.ts run the agent file"],
  [/npm run attack/, "takes 12 minutes"],
  [/npx vitest/, "the tests of an engine are part of the same run"],
  [/docker|systemctl|journalctl|useradd/, "needs Docker or systemd"],
];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly script: string;
}

const blocks: readonly Block[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(({ index, 1: indent = "", 2: body = "" }) => ({
    page,
    line: text.slice(0, index).split("\n").length + 1,
    script: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
});
const runsElsewhere = ({ script }: Block) => elsewhere.some(([pattern]) => pattern.test(script));
const runHere = blocks.filter((block) => !runsElsewhere(block));

let shop: DocumentedShop;
/** The sign-in state for the next block: the cookies of `curl` and the session of `svc login`. */
let signedIn: string;
async function startService(): Promise<void> {
  shop = await startDocumentedShop();
  signedIn = await mkdtemp(join(tmpdir(), "svc-documented-"));
  const cookies = Object.fromEntries(shop.brain.as.root.cookie.split("; ").map((pair) => pair.split("=")));
  const session = { brain_url: shop.brain.url, email: "admin@example.org", cookies };
  await writeFile(join(signedIn, "session.json"), JSON.stringify(session), { mode: 0o600 });
}
async function stopService(): Promise<void> {
  await shop.brain.stop();
  await rm(signedIn, { recursive: true, force: true });
}

/** Fails on error responses, and signs in as the API reference describes; later blocks use that session. */
const prelude = `
set -euo pipefail
curl() {
  case " $* " in
    *" -f"*) command curl "$@" ;;
    *) command curl --fail-with-body "$@" ;;
  esac
}
svc=http://localhost:7700/api/v1
if [ ! -e jar ]; then
  curl -sc jar -H 'content-type: application/json' $svc/auth/login -d '{"email":"you@example.com","password":"…"}' > /dev/null
fi
csrf=$(awk '$6 ~ /svc_csrf$/ { print $7 }' jar)
export SVC_BRAIN_URL=http://localhost:7700 SVC_API_KEY=svk_…
`;

/** `svc` and `npx svc` as in a checkout, with confirmations accepted. */
async function programFolder(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const program = `#!/bin/sh
[ "\${0##*/}" = npx ] && shift
case "$*" in "bulk-retry create"* | "dead-letters requeue"* | "schedules import"*) set -- "$@" --yes ;; esac
exec "${process.execPath}" "${builtProgram}" "$@"
`;
  for (const name of ["svc", "npx"]) {
    await writeFile(join(bin, name), program);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

async function runInShell(script: string): Promise<{ code: number | null; output: string }> {
  const folder = await scratchFolder();
  const bin = await programFolder(folder);
  await cp(signedIn, folder, { recursive: true });
  let given = prelude + script;
  for (const [written, here] of shop.values) given = given.replaceAll(written, here);
  const child = spawn("bash", ["-c", given], {
    cwd: folder,
    env: { ...plainEnvironment, HOME: folder, SVC_HOME: folder, PATH: `${bin}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code === 0) await cp(join(folder, "jar"), join(signedIn, "jar"));
  return { code, output };
}

// Each folder has a service of its own, so that its commands stay within the rate limits.
describe.each([...new Set(runHere.map(({ page }) => dirname(page)))])("the commands in %s", (folder) => {
  beforeAll(startService);
  afterAll(stopService);

  const here = runHere.filter(({ page }) => dirname(page) === folder);
  test.each(here.map((block) => [`${basename(block.page)}:${block.line}`, block] as const))(
    "succeed: %s",
    async (_place, { script }) => {
      const { code, output } = await runInShell(script);
      expect(code, output).toBe(0);
    },
  );
});

test.each(elsewhere)("the documentation has blocks with %s, which run elsewhere: %s", (pattern) => {
  expect(blocks.filter(({ script }) => pattern.test(script))).not.toEqual([]);
});
