import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { drainMs } from "./start-brain.ts";
import type { ToParent, ToWorker } from "./worker.ts";

/**
 * Runs `count` workers, processes of this same command line, on one port until a signal comes, and gives one exit code for all.
 *
 * The first one starts alone: it mints secrets, migrates and prints the set-up link, and its refusal is that of all. A worker that ends later
 * is started again, within bounds. This process holds the port and hands connections out in turn; it serves nothing itself. When it is
 * killed, its workers end too.
 */
export async function superviseWorkers(count: number, terminal: Terminal): Promise<number> {
  using stop = listenForStop();
  const failed = Promise.withResolvers<number>();
  const serving = new Set<Worker>();
  let isStopping = false;
  /** Where people find the service; undefined until the first worker serves. */
  let url: string | undefined;
  let isComplete = false;

  function start(restarts: Restarts): void {
    const worker = cluster.fork();
    // A message to a worker that has just ended.
    worker.on("error", () => {});
    worker.once("exit", (code, signal) => {
      serving.delete(worker);
      if (isStopping) return;
      if (url === undefined) return failed.resolve(code || exitCodes.failed);
      const pauseMs = restarts.next();
      const ended = `svc: a worker ended (${signal ?? code})`;
      if (pauseMs === null) {
        terminal.err(`${ended} for the sixth time within a minute`);
        return failed.resolve(exitCodes.failed);
      }
      terminal.err(`${ended}; another one is started`);
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
    if (message.kind === "answer") return tell(cluster.workers?.[message.to], { ...message, round });
    const others = [...serving].filter((worker) => worker !== from);
    tell(from, { kind: "asked", round, count: others.length });
    for (const other of others) tell(other, { kind: "tell", to: from.id, round });
  });

  startOne();
  const code = await Promise.race([stop.received.then(() => exitCodes.done), failed.promise]);
  isStopping = true;
  const drained = await stopAll(serving);
  return code === exitCodes.done ? drained : code;
}

function tell(worker: Worker | undefined, message: ToWorker): void {
  if (worker?.isConnected() === true) worker.send(message, () => {});
}

/** Passes the wish to stop on and waits for all; 0 when every worker that served has drained. */
async function stopAll(serving: ReadonlySet<Worker>): Promise<number> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  const ends = workers.map(async (worker) => {
    const hadBegun = serving.has(worker);
    const [code] = await once(worker, "exit");
    return code === exitCodes.done || !hadBegun;
  });
  const send = (signal: NodeJS.Signals) => {
    for (const { process } of workers) process.kill(signal);
  };
  send("SIGTERM");
  const bound = setTimeout(() => send("SIGKILL"), drainMs);
  const drained = await Promise.all(ends);
  clearTimeout(bound);
  return drained.every(Boolean) ? exitCodes.done : exitCodes.failed;
}

const windowMs = 60_000;
const mostInWindow = 5;
const firstPauseMs = 500;

type Restarts = ReturnType<typeof createRestarts>;

/** Starts one worker again at most five times a minute, with pauses that double: what cannot run must not run in circles. */
export function createRestarts(nowMs: () => number) {
  let at: number[] = [];
  return {
    /** Milliseconds to wait before a worker that has just ended is started again; null when it ended too often. */
    next() {
      const now = nowMs();
      at = at.filter((earlier) => now - earlier < windowMs);
      if (at.length === mostInWindow) return null;
      at.push(now);
      return firstPauseMs * 2 ** (at.length - 1);
    },
  };
}
