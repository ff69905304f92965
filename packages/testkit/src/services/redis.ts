import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { findOrInstall } from "./debian-package.ts";
import { endServer, startOnFreePort, untilReady } from "./server-process.ts";
import { makeServiceFolder, sweepAbandonedFolders } from "./service-folder.ts";

const startBoundMs = 20_000;
const redisServer = {
  what: "redis-server",
  names: ["redis-server"],
  command: "apt-get update && apt-get install -y --no-install-recommends redis-server",
  boundMs: 300_000,
};

interface RedisOptions {
  /**
   * The data that survives a restart: `nothing` (default), `snapshot` (the last SAVE command) or `everything` (append-only file, always
   * synced).
   */
  readonly keeps?: "nothing" | "snapshot" | "everything";
}

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/**
 * Starts a Redis server: free loopback port, temporary folder, no snapshots, `maxmemory-policy noeviction`. It ends with this process.
 * A missing redis-server is installed from Debian's package if this process has the rights.
 *
 * @throws Error with the command to run when redis-server is missing and cannot be installed.
 */
export async function startRedis(options: RedisOptions = {}) {
  const binary = await findOrInstall(redisServer);
  await sweepAbandonedFolders("redis");
  const folder = await makeServiceFolder("redis");
  const appendOnly = options.keeps === "everything";
  let server: ChildProcess | undefined;
  const onExit = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", onExit);
  /** Kills the server and frees the port; `restart` starts it again. */
  const kill = async () => {
    if (server) await letGo(server);
    server = undefined;
  };
  /** Ends the server and removes its files. Safe to call twice. */
  const stop = async () => {
    process.off("exit", onExit);
    await kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  const start = async (port: number) => {
    server = await launch(binary, { port, folder, appendOnly });
  };
  try {
    const port = await startOnFreePort(start);
    return {
      url: `redis://127.0.0.1:${port}`,
      port,
      kill,
      stop,
      /** Kills the server and starts it again on the same port; with `keeps: "nothing"` all keys are lost. Resolves when it answers. */
      restart: async () => {
        await kill();
        await start(port);
      },
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

interface Launch {
  readonly port: number;
  readonly folder: string;
  readonly appendOnly: boolean;
}

/**
 * Ends the server when the pipe to its standard input closes, so that a killed test run leaves no server behind. The watcher reads
 * descriptor 3, because a shell gives background commands no standard input.
 */
const guardScript = `exec 3<&0
"$0" "$@" & server=$!
(cat <&3 >/dev/null; kill -9 $server) >/dev/null 2>&1 &
wait $server`;

/** Resolves when the server accepts connections; rejects with the end of its log when it ends first. */
async function launch(binary: string, { port, folder, appendOnly }: Launch): Promise<ChildProcess> {
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: appendOnly ? "yes" : "no",
    appendfsync: "always",
    "maxmemory-policy": "noeviction",
    daemonize: "no",
    logfile: "",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn("sh", ["-c", guardScript, binary, ...args], { cwd: folder, stdio: "pipe" });
  server.stdin.on("error", () => {}); // it exists only to be closed
  try {
    await untilReady(server, "eady to accept connections", startBoundMs);
    return server;
  } catch (fault) {
    await letGo(server);
    throw fault;
  }
}

/** Ends the server by closing its standard input, see `guardScript`. */
const letGo = (server: ChildProcess): Promise<void> => endServer(server, () => server.stdin?.destroy());
