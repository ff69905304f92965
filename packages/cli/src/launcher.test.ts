import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";

const launcher = fileURLToPath(new URL("../bin/svc.js", import.meta.url));
/** Makes the launcher detect an old Node, which has no execve either. */
const oldNode = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process.versions, "node", { value: "20.20.2" }); delete process.execve;',
)}`;

const memoryFlags = "--max-semi-space-size=8 --max-old-space-size=512";

describe("bin/svc.js", () => {
  test("runs the source entry of an unbuilt checkout", async () => {
    const { bin } = await checkout({
      "src/main.ts":
        'const exitCode: number = 7; console.log(process.execArgv.join(" ")); process.exitCode = exitCode;',
    });
    const { status, stdout } = launch(bin, []);
    expect({ status, stdout }).toEqual({ status: 7, stdout: `--conditions=source ${memoryFlags}\n` });
  });

  test("prefers the built entry and forwards the arguments", async () => {
    const { bin } = await checkout({
      "src/main.ts": 'console.log("source");',
      "dist/svc.js": 'console.log(JSON.stringify(process.argv.slice(2)), process.execArgv.join(" "));',
    });
    expect(launch(bin, ["agent", "--list", "a b"]).stdout).toBe(`["agent","--list","a b"] ${memoryFlags}\n`);
  });

  test("leaves the heap limit of NODE_OPTIONS unchanged", async () => {
    const { bin } = await checkout({
      "dist/svc.js": "console.log(process.execArgv.length, process.env.MALLOC_ARENA_MAX);",
    });
    const { stdout } = spawnSync(process.execPath, [bin], {
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "--max-old-space-size=4096", MALLOC_ARENA_MAX: "4" },
    });
    expect(stdout).toBe("0 4\n");
  });

  test("re-executes itself with the installed Node when its own is too old, and exits with the same code", async () => {
    const { bin } = await checkout(
      { "dist/svc.js": "console.log(process.versions.node); process.exitCode = 6;" },
      { withNode: true },
    );
    const { status, stdout } = launch(bin, [], ["--import", oldNode]);
    expect({ status, stdout }).toEqual({ status: 6, stdout: `${process.versions.node}\n` });
  });

  test("prints one line with instructions when every Node is too old", async () => {
    const { bin } = await checkout({ "dist/svc.js": "" });
    const { status, stderr } = launch(bin, [], ["--import", oldNode]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^svc: Node 24 or newer is required and this is 20\.20\.2\. Run "npm ci" .+\n$/);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("forwards %s to the Node it started", async (signal) => {
    const program = `
      process.on("${signal}", () => { console.log("drained"); process.exit(5); });
      setInterval(() => {}, 60_000);
      console.log("ready");`;
    const { bin } = await checkout({ "dist/svc.js": program }, { withNode: true });
    const child = spawn(process.execPath, ["--import", oldNode, bin], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    const isReady = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk) => {
        output += chunk;
        if (output === "ready\n") resolve();
      });
    });
    await isReady;

    child.kill(signal);
    const [code] = await once(child, "close");

    expect({ code, output }).toEqual({ code: 5, output: "ready\ndrained\n" });
  });

  test("exits by the same signal as the Node it started", async () => {
    const program = 'process.kill(process.pid, "SIGKILL");';
    const { bin } = await checkout({ "dist/svc.js": program }, { withNode: true });
    expect(launch(bin, [], ["--import", oldNode]).signal).toBe("SIGKILL");
  });
});

/** A package folder with the launcher and the given files. `withNode` links this Node where npm would install one. */
async function checkout(files: Readonly<Record<string, string>>, { withNode = false } = {}) {
  const root = await mkdtemp(join(tmpdir(), "svc-launcher-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, "packages", "cli");
  const bin = join(folder, "bin", "svc.js");
  await cp(launcher, bin);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  if (withNode) {
    const nodeFolder = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin");
    await mkdir(nodeFolder, { recursive: true });
    await symlink(process.execPath, join(nodeFolder, "node"));
  }
  return { bin };
}

function launch(bin: string, args: readonly string[], nodeFlags: readonly string[] = []) {
  const { NODE_OPTIONS: _inherited, ...env } = process.env;
  return spawnSync(process.execPath, [...nodeFlags, bin, ...args], { encoding: "utf8", env });
}
