import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@svc/testkit";
import { type ApiClient, signIn } from "@svc/testkit/brain";

export interface BenchAgent {
  readonly agentId: string;
  readonly token: string;
  readonly hmacSecret: string;
}

/** `svc serve` in a separate process, for suites that measure it from outside. */
export interface BenchBrain {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The administrator, signed in. */
  readonly root: ApiClient;
  readonly projectId: string;
  readonly slug: string;
  readonly agents: readonly BenchAgent[];
  /** Milliseconds from the start of the process until /health/ready returned 200. */
  readonly startMs: number;
  /** Resident memory and CPU time of the process so far. */
  usage(): Promise<{ rssBytes: number; cpuSeconds: number }>;
  stop(): Promise<void>;
}

export interface BenchBrainOptions {
  /** Created if missing. */
  readonly home: string;
  readonly databaseUrl?: string | undefined;
  /** Number of agents to create; default 4. */
  readonly agents?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the service's log; by default it is dropped. */
  readonly onLog?: (chunk: Buffer) => void;
}

/** The administrator of all bench brains. */
export const benchAccount = { email: "bench@localhost.example", password: "correct horse battery" };
const launcher = fileURLToPath(new URL("../../../packages/cli/bin/svc.js", import.meta.url));
const startBoundMs = 30_000;
const clockTicksPerSecond = 100;
const idleLookMs = 250;
/** CPU share below which a service counts as idle. */
const idleShare = 0.1;
const running = new Set<ChildProcess>();

/** Ends the services of an abandoned suite, which would slow the next suites and outlive the run. */
export async function endBrains(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      return ended;
    }),
  );
}

/** Starts the service on this home (and database); resolves when it is ready and its agents are created. */
export async function startBenchBrain(options: BenchBrainOptions): Promise<BenchBrain> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await mkdir(options.home, { recursive: true });
  const startedMs = performance.now();
  const child = spawn(process.execPath, [launcher, "serve", "--port", String(port)], {
    cwd: options.home,
    stdio: ["ignore", options.onLog === undefined ? "ignore" : "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      SVC_HOME: options.home,
      SVC_LOG_LEVEL: "error",
      SVC_ARGON2_TIME_COST: "1",
      SVC_ARGON2_MEMORY_COST: "8192",
      SVC_ARGON2_PARALLELISM: "1",
      SVC_BOOTSTRAP_ADMIN_EMAIL: benchAccount.email,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: benchAccount.password,
      ...(options.databaseUrl !== undefined && { SVC_DATABASE_URL: options.databaseUrl }),
      ...options.env,
    },
  });
  running.add(child);
  if (options.onLog !== undefined) child.stdout?.on("data", options.onLog);
  child.once("exit", () => running.delete(child));
  const ended = once(child, "exit");
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`svc serve ended with ${child.exitCode}`);
    if (performance.now() - startedMs > startBoundMs) throw new Error("svc serve is not ready");
    await pause(5);
  }
  const startMs = performance.now() - startedMs;
  const root = await signIn(url, benchAccount.email, benchAccount.password);
  const [project] = (await root.get("/projects")).body as { id: string; slug: string }[];
  if (project === undefined) throw new Error("the bench project is missing");
  const agents: BenchAgent[] = [];
  for (let index = 0; index < (options.agents ?? 4); index += 1) {
    const { body } = await root.post(`/projects/${project.slug}/agents`, { name: `bench-${child.pid}-${index}` });
    agents.push({ agentId: body.agent.id, token: body.token, hmacSecret: body.hmac_secret });
  }
  return {
    url,
    port,
    pid: child.pid ?? 0,
    root,
    projectId: project.id,
    slug: project.slug,
    agents,
    startMs,
    usage: () => usageOf(child.pid ?? 0),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Resolves when the loops behind ingest have caught up, so that they do not affect the next measurement. */
export async function untilIdle({ usage }: Pick<BenchBrain, "usage">, signal: AbortSignal): Promise<void> {
  for (let before = await usage(); ; ) {
    await pause(idleLookMs, undefined, { signal });
    const now = await usage();
    if ((now.cpuSeconds - before.cpuSeconds) * 1000 < idleShare * idleLookMs) return;
    before = now;
  }
}

export function firstAgentOf({ agents: [agent] }: Pick<BenchBrain, "agents">): BenchAgent {
  if (agent === undefined) throw new Error("the bench brain has no agent");
  return agent;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).status === 200;
  } catch {
    return false;
  }
}

/** Read from /proc, so that nothing runs inside the measured process. */
async function usageOf(pid: number): Promise<{ rssBytes: number; cpuSeconds: number }> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
  ]);
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { rssBytes: kilobytes * 1024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond };
}

/** Starts a suite's program in a separate process, with one argument; it communicates by messages, and ends when this process disconnects. */
export function startFile(path: string, argument: object): ChildProcess {
  return fork(path, [JSON.stringify(argument)], { execArgv: ["--conditions=source"] });
}
