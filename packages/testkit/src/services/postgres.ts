import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { copyPostgresBinaries } from "./postgres-binaries.ts";
import { endServer, startOnFreePort, untilReady } from "./server-process.ts";
import { enterableRoot, makeServiceFolder, memoryRoot, sweepAbandonedFolders } from "./service-folder.ts";
import { type Account, unprivilegedAccount } from "./unprivileged-account.ts";

const run = promisify(execFile);
const startBoundMs = 60_000;

/** A PostgreSQL server with the right to create databases. */
export interface PostgresServer {
  /** `postgres://` URL of its admin database. Never print it: it contains the password. */
  readonly adminUrl: string;
  /** Ends the server immediately and removes its files; does nothing to the server of SVC_TEST_POSTGRES_URL. */
  stop(): Promise<void>;
}

/** A separate server that keeps acknowledged commits through a crash, as in production. */
export interface DurablePostgres extends PostgresServer {
  /** Ends the server immediately (`pg_ctl stop -m immediate`): unsynced data is lost. Resolves when all its processes have ended. */
  crash(): Promise<void>;
  /** Starts it again on the same port. Resolves when it has recovered and accepts connections. */
  start(): Promise<void>;
}

/**
 * Returns the server of SVC_TEST_POSTGRES_URL, or starts one from the binaries that npm installed: own data folder, free loopback port,
 * removed on stop, exit, SIGINT, SIGTERM and SIGHUP. The next run removes the files of a killed one.
 *
 * Commits take the same path as in production (synchronous_commit stays on), but nothing is synced to the disk, since the system survives
 * all tests. Checkpoints and replication are minimized. The databases use a language's collation, so that a query fails if it needs code
 * point order without asking for it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.SVC_TEST_POSTGRES_URL;
  if (given) {
    await checkAnswers(given);
    return { adminUrl: given, stop: async () => {} };
  }
  return startOwnServer(memoryRoot(), quickSettings);
}

/** Starts a separate server for the durability suite: on disk, with every commit synced before it is acknowledged. */
export const startDurablePostgres = (): Promise<DurablePostgres> => startOwnServer(enterableRoot(), durableSettings);

type ServerSettings = Readonly<Record<string, string>>;

/** Starts a server with its data below `root`. */
async function startOwnServer(root: string, settings: ServerSettings): Promise<DurablePostgres> {
  await sweepAbandonedFolders("postgres");
  const account = await unprivilegedAccount();
  const folders = { program: await makeServiceFolder("postgres"), data: await makeServiceFolder("postgres", root) };
  const removing = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };
  let server: ChildProcess | undefined;
  const releaseSignals = cleanUpOnExit(() => {
    server?.kill("SIGQUIT");
    for (const folder of Object.values(folders)) rmSync(folder, removing);
  });
  const crash = async () => {
    if (server) await shutDown(server);
  };
  const removeAll = async () => {
    releaseSignals();
    await crash();
    for (const folder of Object.values(folders)) await rm(folder, removing);
  };
  try {
    const cluster = await createCluster(folders, account);
    const start = async (port: number) => {
      server = await startServer(cluster, port, settings);
    };
    const port = await startOnFreePort(start);
    const adminUrl = `postgres://svc:${cluster.password}@127.0.0.1:${port}/postgres`;
    return { adminUrl, crash, start: () => start(port), stop: removeAll };
  } catch (fault) {
    await removeAll();
    throw fault;
  }
}

export interface TestDatabase {
  readonly url: string;
  /** Drops the database and closes its connections. */
  drop(): Promise<void>;
}

/**
 * Creates a database with a unique name, so that parallel test files do not share data: empty, or a copy of a database without connections.
 * The copy is by file; writing each page to the log takes several times as long.
 */
export async function createTestDatabase(adminUrl: string, template?: string): Promise<TestDatabase> {
  const name = `svc_test_${randomBytes(8).toString("hex")}`;
  await administer(
    adminUrl,
    `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(template ?? "template1")} STRATEGY FILE_COPY`,
  );
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(adminUrl, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
  };
}

interface Cluster {
  readonly postgres: string;
  readonly data: string;
  readonly password: string;
  readonly account: Account | undefined;
}

async function createCluster(
  folders: { readonly program: string; readonly data: string },
  account: Account | undefined,
): Promise<Cluster> {
  const bin = await copyPostgresBinaries(join(folders.program, "server"));
  const data = join(folders.data, "data");
  const passwordFile = join(folders.program, "password");
  const password = randomBytes(18).toString("hex");
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) {
    await chown(data, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const options = [
    `--pgdata=${data}`,
    "--username=svc",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en",
    "--no-sync",
    "--no-data-checksums",
    // A random password needs no iterations, which would slow both sides of every connection.
    "--set=scram_iterations=1",
    "--no-instructions",
  ];
  await run(join(bin, "initdb"), options, { ...account, cwd: folders.program, env: serverEnvironment() });
  await rm(passwordFile);
  return { postgres: join(bin, "postgres"), data, password, account };
}

const commonSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "256MB",
  max_connections: "200",
  dynamic_shared_memory_type: "mmap",
  synchronous_commit: "on",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "1GB",
  checkpoint_timeout: "30min",
  // Autovacuum changes statistics at random times, but tests depend on stable plans.
  autovacuum: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

const quickSettings = { ...commonSettings, fsync: "off", full_page_writes: "off" };

const durableSettings = {
  ...commonSettings,
  fsync: "on",
  full_page_writes: "on",
  // The maximum, so that an asynchronous commit is still in memory when the server crashes.
  wal_writer_delay: "10s",
};

/** Resolves when the server accepts connections; rejects with the end of its log when it ends first. */
async function startServer(cluster: Cluster, port: number, settings: ServerSettings): Promise<ChildProcess> {
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(cluster.postgres, ["-D", cluster.data, "-p", String(port), ...options], {
    ...cluster.account,
    cwd: cluster.data,
    env: serverEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    await untilReady(server, "ready to accept connections", startBoundMs);
    return server;
  } catch (fault) {
    await shutDown(server);
    throw fault;
  }
}

/** An immediate shutdown: a checkpoint would waste time where data is discarded, and defeat the crash where it is kept. */
async function shutDown(server: ChildProcess): Promise<void> {
  const lastResort = setTimeout(() => server.kill("SIGKILL"), 10_000);
  await endServer(server, () => server.kill("SIGQUIT")).finally(() => clearTimeout(lastResort));
}

/** Fixes the language of the server's messages, because they are parsed. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", LC_MESSAGES: "C", TZ: "UTC" };
}

function cleanUpOnExit(cleanUp: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    cleanUp();
    release();
    // Without another listener the signal would have ended the process, so end it.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const release = () => {
    process.off("exit", cleanUp);
    for (const signal of signals) process.off(signal, onSignal);
  };
  process.on("exit", cleanUp);
  for (const signal of signals) process.on(signal, onSignal);
  return release;
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 15_000 });
  client.on("error", () => {}); // when the server ends during a statement, the query itself rejects
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function checkAnswers(adminUrl: string): Promise<void> {
  await administer(adminUrl, "SELECT 1").catch((cause: unknown) => {
    throw new Error("The server in SVC_TEST_POSTGRES_URL does not answer.", { cause });
  });
}
