import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { drainMs } from "./start-brain.ts";
import type { ToParent, ToWorker } from "./worker.ts";

/**
 * Runs `count` worker processes of this command line on one port until a signal arrives, and returns one exit code for all.
 *
 * The first worker starts alone: it creates secrets, migrates and prints the setup link, and if it refuses to start, all do. A worker that
 * exits later is restarted, within limits. This process owns the port and distributes connections in turn, but serves nothing itself. When it
 * is killed, its workers exit too.
 */
export async function superviseWorkers(count: number, terminal: Terminal): Promise<number> {
  using stop = listenForStop();
  const failed = Promise.withResolvers<number>();
  const serving = new Set<Worker>();
  let isStopping = false;
  /** Address of the service. Undefined until the first worker serves. */
  let url: string | undefined;
  let isComplete = false;

  function start(restarts: Restarts): void {
    const worker = cluster.fork();
    // The worker has just exited.
    worker.on("error", () => {});
    worker.once("exit", (code, signal) => {
      serving.delete(worker);
      if (isStopping) return;
      if (url === undefined) return failed.resolve(code || exitCodes.failed);
      const pauseMs = restarts.next();
      const exited = `svc: a worker exited (${signal ?? code})`;
      if (pauseMs === null) {
        terminal.err(`${exited} for the sixth time within a minute`);
        return failed.resolve(exitCodes.failed);
      }
      terminal.err(`${exited}. Starting another one`);
      setTimeout(() => isStopping || start(restarts), pauseMs).unref();
    });
  }

  const startOne = () => start(createRestarts(() => performance.now()));

  function isServing(worker: Worker, at: string): void {
    serving.add(worker);
    if (url === undefined) {
      url = at;
      for (let further = 1; further < count; further += 1) startOne();
    }
    if (isComplete || serving.size < count) return;
    isComplete = true;
    terminal.err(`svc is ready at ${url} with ${count} workers`);
  }

  cluster.on("message", (from, message: ToParent) => {
    if (message.kind === "ready") return isServing(from, message.url);
    const { round } = message;
    if (message.kind === "answer") return send(cluster.workers?.[message.to], { ...message, round });
    const others = [...serving].filter((worker) => worker !== from);
    send(from, { kind: "expect", round, count: others.length });
    for (const other of others) send(other, { kind: "request", to: from.id, round });
  });

  startOne();
  const code = await Promise.race([stop.received.then(() => exitCodes.done), failed.promise]);
  isStopping = true;
  const drained = await stopAll(serving);
  return code === exitCodes.done ? drained : code;
}

function send(worker: Worker | undefined, message: ToWorker): void {
  if (worker?.isConnected() === true) worker.send(message, () => {});
}

/** Stops all workers and waits for them. 0 when every worker has drained. */
async function stopAll(serving: ReadonlySet<Worker>): Promise<number> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  const exits = workers.map(async (worker) => {
    const hasServed = serving.has(worker);
    const [code] = await once(worker, "exit");
    return code === exitCodes.done || !hasServed;
  });
  const killAll = (signal: NodeJS.Signals) => {
    for (const { process } of workers) process.kill(signal);
  };
  killAll("SIGTERM");
  const timeout = setTimeout(() => killAll("SIGKILL"), drainMs);
  const drained = await Promise.all(exits);
  clearTimeout(timeout);
  return drained.every(Boolean) ? exitCodes.done : exitCodes.failed;
}

const windowMs = 60_000;
const maxInWindow = 5;
const firstPauseMs = 500;

type Restarts = ReturnType<typeof createRestarts>;

/** Restart limit for a worker: at most five times a minute, with doubling delays, so that a failing worker does not restart in a loop. */
export function createRestarts(nowMs: () => number) {
  let at: number[] = [];
  return {
    /** Milliseconds before an exited worker is restarted. Null when it exited too often. */
    next() {
      const now = nowMs();
      at = at.filter((earlier) => now - earlier < windowMs);
      if (at.length === maxInWindow) return null;
      at.push(now);
      return firstPauseMs * 2 ** (at.length - 1);
    },
  };
}
