import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain, testPassword } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";

/** A small mounted file system; null, with the reason on standard error, where mounting is not allowed. */
const disk = mountSmallDisk();

function mountSmallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "svc-full-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], { stdio: "pipe" });
    return folder;
  } catch (error) {
    rmdirSync(folder);
    process.stderr.write(`skipped the full disk test: could not mount a tmpfs (${(error as Error).message})\n`);
    return null;
  }
}

const ready = (brain: TestBrain) => brain.as.anonymous.get("//health/ready");

const signIn = (brain: TestBrain) =>
  brain.as.anonymous.post("/auth/login", { email: "admin@example.org", password: testPassword });

/** The behavior of a service that cannot write: the same for a full disk and a read-only server. */
async function expectNotWritable(brain: TestBrain): Promise<void> {
  // Just after its sessions were ended, the server is unreachable, which is another reason.
  await waitFor(async () => {
    await brain.runLoop("health.write-probe");
    expect(await ready(brain)).toMatchObject({
      status: 503,
      body: { error: "unready", status: "unready", reason: "write_probe_failed" },
    });
    return true;
  });
  expect((await brain.as.viewer.get("/projects/shop/tasks")).status).toBe(200);
  expect(await brain.as.root.get("//health/deep")).toMatchObject({
    status: 503,
    body: { checks: { writes: { status: "failed", detail: expect.stringContaining("refused the last write") } } },
  });
  // Each refusal is an error envelope with 503, and the log does not repeat the line.
  const lines = brain.logLines.length;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    expect(await signIn(brain)).toMatchObject({
      status: 503,
      body: { error: "unready", details: { reason: "database" } },
    });
  }
  expect(brain.logLines.slice(lines).filter((line) => line.includes("http.failed")).length).toBeLessThanOrEqual(1);
}

async function expectWritable(brain: TestBrain): Promise<void> {
  await brain.runLoop("health.write-probe");
  expect(await ready(brain)).toMatchObject({ status: 200, body: { status: "ready" } });
  expect((await signIn(brain)).status).toBe(200);
}

const storedTask = (brain: TestBrain, taskId: string) => brain.as.viewer.get(`/projects/shop/tasks/scripted/${taskId}`);

describe.runIf(disk !== null && testDialects.includes("sqlite"))("a full disk", () => {
  test("makes the service unready until space is free again, and loses no event", async () => {
    const filler = join(disk!, "filler");
    onTestFinished(() => {
      execFileSync("umount", ["-l", disk!]);
      rmdirSync(disk!);
    });
    const brain = await startTestBrain({ databaseUrl: `sqlite://${join(disk!, "svc.db")}` });
    onTestFinished(() => brain.stop());
    await expectWritable(brain);
    const { agent, adapter } = await brain.connectAgent();

    fill(filler);
    // The log file still has allocated space, so writes succeed until it needs more.
    await waitFor(async () => {
      await brain.as.root.post("/projects", {
        slug: `p${Math.random().toString(36).slice(2)}`,
        name: "x".repeat(80),
      });
      await brain.runLoop("health.write-probe");
      return (await ready(brain)).status === 503;
    });
    await expectNotWritable(brain);
    adapter.emitTasks(1);
    expect((await storedTask(brain, "task-0")).status).toBe(404);

    rmSync(filler);
    await expectWritable(brain);
    await waitFor(async () => (await storedTask(brain, "task-0")).status === 200);
    expect(agent.status().state).toBe("online");
  });
});

function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const bytes of [65_536, 4096, 512]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

describe.runIf(testDialects.includes("postgres"))("a server that has become read-only", () => {
  test("makes the service unready until it accepts writes again, and loses no event", async () => {
    const { url, drop } = await migratedDatabaseUrl("postgres");
    onTestFinished(drop);
    const brain = await startTestBrain({ databaseUrl: url });
    onTestFinished(() => brain.stop());
    await expectWritable(brain);
    const { adapter } = await brain.connectAgent();

    await setReadOnly(url, true);
    await expectNotWritable(brain);
    adapter.emitTasks(1);
    expect((await storedTask(brain, "task-0")).status).toBe(404);

    await setReadOnly(url, false);
    await waitFor(async () => {
      await brain.runLoop("health.write-probe");
      return (await ready(brain)).status === 200;
    });
    await expectWritable(brain);
    await waitFor(async () => (await storedTask(brain, "task-0")).status === 200);
  });
});

/** Applies to new sessions; ends the existing ones. */
async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: "-c default_transaction_read_only=off" });
  await client.connect();
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  await client.end();
}
