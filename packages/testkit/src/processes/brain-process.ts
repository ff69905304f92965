import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Agent, startAgent } from "@svc/agent";
import { createScriptedAdapter, type ScriptedAdapter } from "../peer/scripted-adapter.ts";
import { waitFor } from "../wait-for.ts";
import { builtProgram } from "./built-program.ts";
import { killProcess } from "./kill-process.ts";

const maxLogChunks = 200;
const killPoint = new URL("./kill-point.ts", import.meta.url).href;

export interface BrainProcessOptions {
  readonly home: string;
  readonly databaseUrl: string;
  /** The same port at every start, so that agents can reconnect. */
  readonly port: number;
  /** Further command-line arguments. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** File that may name a point at which the process kills itself: see `kill-point.ts`. */
  readonly killPointFile?: string;
}

export type BrainProcess = Awaited<ReturnType<typeof startBrainProcess>>;

/** `svc serve` in a separate process that a test can kill. Its commits are as durable as in production. */
export async function startBrainProcess({
  home,
  databaseUrl,
  port,
  args = [],
  env = {},
  killPointFile,
}: BrainProcessOptions) {
  const own = { SVC_HOME: home, SVC_DATABASE_URL: databaseUrl, SVC_LOG_LEVEL: "warn" };
  const killing = killPointFile === undefined ? [] : [`--import=${killPoint}`];
  const words = [...killing, builtProgram, "serve", "--port", String(port), ...args];
  const child = spawn(process.execPath, words, {
    cwd: home,
    env: { ...process.env, NODE_OPTIONS: "", ...own, TESTKIT_KILL_POINT: killPointFile, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const dieWithUs = () => child.kill("SIGKILL");
  process.once("exit", dieWithUs);
  child.once("exit", () => process.removeListener("exit", dieWithUs));
  const logged: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    logged.push(chunk.toString("utf8"));
    if (logged.length > maxLogChunks) logged.shift();
  });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed = `${printed}${chunk.toString("utf8")}`.slice(-4000);
  });
  let hasEnded = false;
  child.once("close", () => {
    hasEnded = true;
  });
  try {
    const begun = () => hasEnded || printed.includes("is ready");
    await waitFor(begun, { that: "the brain process" });
    if (hasEnded) throw new Error(`the brain ended with ${child.exitCode}: ${printed}`);
  } catch (fault) {
    await killProcess(child);
    throw fault;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    /** The newest lines of its log. */
    log: () => logged.join(""),
    /** Its messages to users, at most the last 4000 characters. */
    printed: () => printed,
    /** Resolves when the process has ended for any reason. */
    exited: new Promise<void>((resolve) => child.once("exit", () => resolve())),
    /** SIGTERM: it drains. Resolves with its exit code or the signal that ended it. */
    async stop(): Promise<number | NodeJS.Signals> {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const [code, signal] = await ended;
      return code ?? signal;
    },
    /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process has ended. */
    kill: () => killProcess(child),
  };
}

/** A real agent of that brain over WebSocket, with a scripted adapter. It outlives the brain. */
export function startAgentOf(options: {
  readonly url: string;
  readonly token: string;
  readonly hmacSecret: string;
  readonly bufferPath: string;
}): { agent: Agent; adapter: ScriptedAdapter } {
  const adapter = createScriptedAdapter();
  const agent = startAgent({
    brainUrl: options.url,
    token: options.token,
    hmacSecret: options.hmacSecret,
    engines: [adapter],
    bufferPath: options.bufferPath,
    batchWindowMs: 1,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  return { agent, adapter };
}
