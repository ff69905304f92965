import { createServer } from "node:net";

/** Below the system's ephemeral ports, which any connection of the machine may take. */
const lowestPort = 30_100;
const ports = 2_600;
const portsOfProcess = 20;
/** Each process starts at a different port and wraps around. */
let next = ((process.pid * portsOfProcess) % ports) - 1;

/**
 * A TCP port that is free at the time of the call. Another process may take it before the caller does, so a launcher retries when its
 * server cannot bind.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let tried = 0; tried < ports; tried += 1) {
    next = (next + 1) % ports;
    if (await isFree(lowestPort + next, host)) return lowestPort + next;
  }
  throw new Error(`no port from ${lowestPort} to ${lowestPort + ports - 1} is free`);
}

async function isFree(port: number, host: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen(port, host, () => server.close(() => resolve(true)));
  return promise;
}
