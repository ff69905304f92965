import { execFileSync } from "node:child_process";
import { watch } from "node:fs";
import { chmod, chown, lstat, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runSvc, scratchFolder, startSvc } from "./svc-process.ts";

const quickHashes = { SVC_ARGON2_TIME_COST: "1", SVC_ARGON2_MEMORY_COST: "8192", SVC_ARGON2_PARALLELISM: "1" };
const isRoot = process.getuid?.() === 0;

/** Modes of everything in a folder except links. */
async function modesIn(folder: string): Promise<Record<string, string>> {
  const modes: Record<string, string> = { ".": modeOf(await lstat(folder)) };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    modes[relative(folder, path)] = modeOf(await lstat(path));
  }
  return modes;
}

const modeOf = ({ mode }: { mode: number }): string => (mode & 0o777).toString(8);
const openModes = (modes: Record<string, string>) => Object.entries(modes).filter(([, mode]) => !/00$/.test(mode));

async function planted(folder: string, names: readonly string[], mode = 0o644): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, "");
    await chmod(path, mode);
  }
}

/** The modes that files of a folder had while it was watched. */
function watched(folder: string): Set<string> {
  const seen = new Set<string>();
  const watcher = watch(folder, async (_event, name) => {
    const found = await stat(join(folder, name ?? "")).catch(() => null);
    if (found !== null) seen.add(`${name} ${modeOf(found)}`);
  });
  onTestFinished(() => watcher.close());
  return seen;
}

describe("with a umask that gives everyone full access", () => {
  let cwd: string;
  let home: string;

  beforeEach(async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    cwd = await scratchFolder();
    home = join(cwd, "home");
  });

  const serve = async (env: Record<string, string> = {}) =>
    startSvc(["serve", "--port", String(await freePort())], { cwd, env: { ...quickHashes, SVC_HOME: home, ...env } });

  test("svc serve creates files in its home that only its user can read", async () => {
    const svc = await serve();
    await svc.prints(/svc is ready/);
    const modes = await modesIn(home);
    expect(modes).toMatchObject({
      ".": "700",
      "secret.env": "600",
      "svc.db": "600",
      "svc.db-wal": "600",
      "svc.db-shm": "600",
    });
    expect(openModes(modes)).toEqual([]);
  });

  test("svc serve corrects existing modes before it writes, and follows no link", async () => {
    await planted(home, ["svc.db", "secret.env", "session.json", "agent/sidecar-0.db", "exports/old.csv"]);
    await planted(cwd, ["outside.txt"]);
    await mkdir(join(cwd, "elsewhere"));
    await symlink(join(cwd, "outside.txt"), join(home, "link.txt"));
    await symlink(join(cwd, "elsewhere"), join(home, "folder"));
    execFileSync("mkfifo", ["-m", "666", join(home, "pipe")]);
    const seen = watched(home);

    const svc = await serve();
    await svc.prints(/svc is ready/);

    const modes = await modesIn(home);
    expect(modes).toMatchObject({
      ".": "700",
      agent: "700",
      exports: "700",
      "agent/sidecar-0.db": "600",
      "exports/old.csv": "600",
      "secret.env": "600",
      "session.json": "600",
      "svc.db": "600",
    });
    expect(openModes(modes)).toEqual([["pipe", "666"]]);
    expect([...seen].filter((entry) => entry.includes("svc.db-") && !entry.endsWith("600"))).toEqual([]);
    expect(modeOf(await stat(join(cwd, "outside.txt")))).toBe("644");
    expect(modeOf(await stat(join(cwd, "elsewhere")))).toBe("777");
    expect(svc.written.out).toMatch(/could be read by other users of this machine; corrected/);
  });

  test("svc serve makes a database outside of the home private to its user", async () => {
    const folder = join(cwd, "data");
    await planted(folder, ["other.db", "bystander.txt"]);
    const svc = await serve({ SVC_DATABASE_URL: `sqlite://${join(folder, "other.db")}` });
    await svc.prints(/svc is ready/);
    expect(await modesIn(folder)).toMatchObject({
      "other.db": "600",
      "other.db-wal": "600",
      "other.db-shm": "600",
      "bystander.txt": "644",
    });
  });

  test.runIf(isRoot)("svc serve continues with a warning when a file belongs to another user", async () => {
    await planted(home, ["theirs.txt"]);
    await chown(join(home, "theirs.txt"), 12_345, 12_345);
    const svc = await serve();
    await svc.prints(/svc is ready/);
    expect((await modesIn(home))["theirs.txt"]).toBe("644");
    expect(svc.written.out.match(/theirs\.txt[^"]*cannot change that/g)).toHaveLength(1);
  });

  test("svc audit corrects the mode of the database, and makes an anchor readable by its group", async () => {
    const svc = await serve();
    await svc.prints(/svc is ready/);
    svc.child.kill("SIGTERM");
    await svc.ended;
    await chmod(join(home, "svc.db"), 0o644);
    await chmod(home, 0o755);
    const ran = await runSvc(["audit", "export-head", join(cwd, "head.json")], { cwd, env: { SVC_HOME: home } });
    expect(ran.code).toBe(0);
    expect(openModes(await modesIn(home))).toEqual([]);
    expect(modeOf(await stat(join(cwd, "head.json")))).toBe("640");
  });

  test("svc agent creates a private buffer and corrects an older one", async () => {
    await planted(home, ["agent/left-0.db"]);
    const env = { SVC_HOME: home, SVC_TOKEN: "t".repeat(43), SVC_HMAC_SECRET: "a".repeat(43), SVC_BUFFER_NAME: "left" };
    const closed = `redis://127.0.0.1:${await freePort()}`;
    startSvc(["agent", "bullmq", "--redis", closed, "--brain", `http://localhost:${await freePort()}`], { cwd, env });
    await waitFor(async () => expect((await modesIn(home))["agent/left-0.db-wal"]).toBe("600"));
    expect(openModes(await modesIn(home))).toEqual([]);
  });
});
