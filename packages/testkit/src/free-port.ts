import { createServer } from "node:net";

/** Below the ports that the system gives to whoever asks for any: one of those would be taken again by any connection of the machine. */
const lowestPort = 30_100;
const ports = 2_600;
const portsOfProcess = 20;
/** Processes begin at places of their own, and go round. */
let next = ((process.pid * portsOfProcess) % ports) - 1;

/**
 * A TCP port that nothing listens on at the moment of the call. Another process may take it before the caller does, so a launcher
 * asks again when its server cannot bind.
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
