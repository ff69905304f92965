import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../free-port.ts";

const portAttempts = 5;

/** Starts a server on a free loopback port and returns the port; tries another port when it was taken in between. */
export async function startOnFreePort(start: (port: number) => Promise<void>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      await start(port);
      return port;
    } catch (fault) {
      if (attempt === portAttempts || !String(fault).includes("Address already in use")) throw fault;
    }
  }
}

/** Resolves when a server's log reports that it is ready; rejects with the end of the log when it ends first or takes too long. */
export async function untilReady(server: ChildProcess, ready: string, boundMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const bound = setTimeout(() => reject(new Error(`the server was not ready after ${boundMs} ms`)), boundMs);
  let logTail = "";
  for (const log of [server.stdout, server.stderr]) {
    log?.setEncoding("utf8").on("data", (chunk: string) => {
      logTail = (logTail + chunk).slice(-4000);
      if (logTail.includes(ready)) resolve();
    });
  }
  server.once("error", reject);
  server.once("close", () => reject(new Error(`the server ended while starting: ${logTail}`)));
  await promise.finally(() => clearTimeout(bound));
}

/** Ends a server with `stop` and resolves when its process has ended; does nothing if it has already ended. */
export async function endServer(server: ChildProcess, stop: () => void): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) return;
  const exited = once(server, "exit");
  stop();
  await exited;
}
