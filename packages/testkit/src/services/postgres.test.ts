import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { waitFor } from "../wait-for.ts";
import { createTestDatabase, startDurablePostgres } from "./postgres.ts";

const startServer = new URL("./postgres.ts", import.meta.url).href;

describe("createTestDatabase", () => {
  test("gives each caller a new empty database on the run's server", async () => {
    const [first, second] = await Promise.all([newDatabase(), newDatabase()]);
    await withClient(first.url, (client) => client.query("CREATE TABLE mark (n integer)"));

    const tables = await withClient(second.url, (client) =>
      client.query("SELECT count(*)::int AS n FROM information_schema.tables WHERE table_name = 'mark'"),
    );

    expect(first.url).not.toBe(second.url);
    expect(tables.rows).toEqual([{ n: 0 }]);
  });

  test("drops a database with open connections", async () => {
    const database = await newDatabase();
    const client = new pg.Client({ connectionString: database.url });
    let isLost = false;
    client.on("error", () => {
      isLost = true;
    });
    await client.connect();

    await database.drop();

    await waitFor(() => isLost, { that: "the end of the connection" });
    await expect(withClient(database.url, (other) => other.query("SELECT 1"))).rejects.toThrow(/does not exist/);
  });

  test("has trigram search, and commits without waiting for the disk", async () => {
    const { url } = await newDatabase();
    await withClient(url, async (client) => {
      await client.query("CREATE EXTENSION pg_trgm");
      const { rows } = await client.query(
        "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits",
      );
      expect(rows).toEqual([{ fsync: "off", commits: "on" }]);
    });
  });
});

describe.runIf(process.env.SVC_TEST_POSTGRES_URL === undefined)("startPostgres", () => {
  test("leaves neither server nor files behind after SIGINT", async () => {
    await expectNothingLeft(await startInChild(), "SIGINT");
  });

  test("removes the files of a killed run, and leaves nothing behind after SIGTERM", async () => {
    const { child, adminUrl, root } = await startInChild();
    child.kill("SIGKILL");
    await once(child, "exit");
    const left = readdirSync(root).map((name) => join(root, name));
    expect(left).not.toEqual([]);

    const next = await startInChild(root);

    expect(left.filter((folder) => existsSync(folder))).toEqual([]);
    await waitFor(() => isRefused(adminUrl), { that: "the end of the left server" });
    await withClient(next.adminUrl, (client) => client.query("SELECT 1"));
    await expectNothingLeft(next, "SIGTERM");
  });
});

describe("startDurablePostgres", () => {
  test("syncs commits, and after a crash has the synchronous commit but not the asynchronous one", async () => {
    const server = await startDurablePostgres();
    onTestFinished(server.stop);
    const query = (text: string) => withClient(server.adminUrl, async (client) => (await client.query(text)).rows);
    const names = "'fsync', 'full_page_writes', 'synchronous_commit'";
    const settings = await query(`SELECT setting FROM pg_settings WHERE name IN (${names})`);
    expect(settings).toEqual([{ setting: "on" }, { setting: "on" }, { setting: "on" }]);

    await query("CREATE TABLE mark (kind text)");
    let left: unknown[] = [];
    // Every ten seconds the server flushes its memory. That may happen between commit and crash once, but not twice in a row.
    for (let attempt = 0; attempt < 2 && left.length !== 1; attempt += 1) {
      await query("DELETE FROM mark; INSERT INTO mark VALUES ('waited')");
      await query("SET synchronous_commit = off; INSERT INTO mark VALUES ('did not wait')");
      await server.crash();
      await server.start();
      left = await query("SELECT kind FROM mark");
    }
    expect(left).toEqual([{ kind: "waited" }]);
  });
});

async function expectNothingLeft(
  { child, adminUrl, root }: Awaited<ReturnType<typeof startInChild>>,
  signal: NodeJS.Signals,
): Promise<void> {
  child.kill(signal);
  const [, endedBy] = await once(child, "exit");
  expect(endedBy).toBe(signal);
  expect(readdirSync(root)).toEqual([]);
  await waitFor(() => isRefused(adminUrl), { that: "the end of the server" });
}

/** A separate process that starts a server below `root` and then waits. */
async function startInChild(root?: string) {
  const folder = root ?? (await newRoot());
  const program = `import { startPostgres } from ${JSON.stringify(startServer)};
    const { adminUrl } = await startPostgres();
    console.log(adminUrl);
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["--conditions=source", "--input-type=module", "--eval", program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGTERM"));
  const faults = text(child.stderr);
  const adminUrl = await Promise.race([
    once(child.stdout, "data").then(([chunk]) => String(chunk).trim()),
    once(child, "exit").then(async () => Promise.reject(new Error(`the server did not start: ${await faults}`))),
  ]);
  return { child, adminUrl, root: folder };
}

async function newRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "svc-started-"));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(root, 0o755);
  return root;
}

async function newDatabase() {
  const database = await createTestDatabase(inject("postgresUrl"));
  onTestFinished(() => database.drop());
  return database;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function isRefused(url: string): Promise<boolean> {
  return withClient(url, (client) => client.query("SELECT 1")).then(
    () => false,
    (fault: NodeJS.ErrnoException) => fault.code === "ECONNREFUSED",
  );
}
