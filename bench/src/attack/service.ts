import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { type ApiClient, signIn } from "@svc/testkit/brain";
import { createRawPoller, type RawPoller, rawEvents } from "@svc/testkit/raw-agent";
import pg from "pg";
import {
  type BenchAgent,
  type BenchBrain,
  type BenchBrainOptions,
  firstAgentOf,
  startBenchBrain,
} from "../harness/processes.ts";

/** A real `svc serve` under attack, with a log counter, a movable clock and direct access to its database. */
export interface AttackedService extends BenchBrain {
  readonly log: { readonly lines: number; readonly bytes: number; readonly newest: string };
  /** Reads rows directly; the same SQL without parameters runs on PostgreSQL and SQLite. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Moves the wall clock of the service; its monotonic clock is unaffected. */
  shiftClock(ms: number): Promise<void>;
  /** The minimum resident memory in bytes after several garbage collections, since allocators return pages late. */
  settledMemory(): Promise<number>;
}

interface ServiceOptions extends Pick<BenchBrainOptions, "home" | "databaseUrl" | "agents" | "env"> {
  /** Offset of the service's wall clock at its start. */
  readonly shiftMs?: number;
  /** Speed-up of timers of half an hour and more, so that retention passes run within seconds. */
  readonly timerDivisor?: number;
}

/**
 * Loaded into all threads of the service before its own code. A control file has the shift of the wall clock. SIGWINCH, which a service
 * without a terminal never receives, triggers a garbage collection.
 */
const preload = `
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
const RealDate = Date;
let shiftMs = 0;
const read = () => { try { shiftMs = Number(readFileSync(process.env.ATTACK_CLOCK, "utf8")) || 0; } catch {} };
if (process.env.ATTACK_CLOCK) {
  read();
  setInterval(read, 100).unref();
  const now = () => RealDate.now() + shiftMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, by) => Reflect.construct(target, args.length === 0 ? [now()] : args, by),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => key === "now" ? now : Reflect.get(target, key),
  });
}
const divisor = Number(process.env.ATTACK_TIMER_DIVISOR || 1);
if (divisor > 1) {
  const later = globalThis.setTimeout;
  globalThis.setTimeout = Object.assign((run, ms, ...rest) => later(run, ms >= 1800000 ? ms / divisor : ms, ...rest), later);
}
if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGWINCH", () => { collect(); setTimeout(collect, 50); });
}
`;

/** Settings of a production installation, except that the test account is created at the start. */
const productionLike = {
  SVC_LOG_LEVEL: "info",
  SVC_ARGON2_TIME_COST: "3",
  SVC_ARGON2_MEMORY_COST: "65536",
  SVC_ARGON2_PARALLELISM: "4",
  SVC_TRUSTED_PROXIES: "127.0.0.1,::1",
};

export async function startService(options: ServiceOptions): Promise<AttackedService> {
  const { home, databaseUrl = `sqlite://${join(home, "svc.db")}` } = options;
  // Separate from the home folder, whose disk may fail during an attack.
  const control = await mkdtemp(join(tmpdir(), "svc-attack-"));
  const clockFile = join(control, "clock");
  await writeFile(clockFile, String(options.shiftMs ?? 0));
  const log = { lines: 0, bytes: 0, newest: "" };
  const brain = await startBenchBrain({
    home,
    agents: options.agents ?? 1,
    databaseUrl,
    env: {
      ...productionLike,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
      ATTACK_CLOCK: clockFile,
      ATTACK_TIMER_DIVISOR: String(options.timerDivisor ?? 1),
      ...options.env,
    },
    onLog(chunk) {
      log.bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) log.lines += 1;
      log.newest = (log.newest + chunk.toString("utf8")).slice(-20_000);
    },
  });
  return {
    ...brain,
    log,
    query: (sql) => readRows(databaseUrl, sql),
    async shiftClock(ms) {
      await writeFile(clockFile, String(ms));
      await pause(300);
    },
    async settledMemory() {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round += 1) {
        process.kill(brain.pid, "SIGWINCH");
        await pause(1000);
        least = Math.min(least, (await brain.usage()).rssBytes);
      }
      return least;
    },
    async stop() {
      await brain.stop();
      await rm(control, { recursive: true, force: true });
    },
  };
}

async function readRows(database: string, sql: string): Promise<Record<string, unknown>[]> {
  if (database.startsWith("postgres")) {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }
  const db = new DatabaseSync(database.slice("sqlite://".length), { readOnly: true });
  try {
    db.exec("PRAGMA busy_timeout = 10000");
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

/** Users and projects of the attacked installation. */
export interface Site {
  /** Signs in and reads during the attack. */
  readonly legitimate: { readonly email: string; readonly password: string };
  /** The account whose password attackers guess. */
  readonly victim: string;
  /** A viewer who sends too many requests. */
  readonly neighbour: ApiClient;
  /** An agent of another project. */
  readonly otherAgent: BenchAgent;
}

const password = "Quiet-Harbour-27-lanterns";

export async function prepareSite(service: AttackedService): Promise<Site> {
  const { root, slug } = service;
  for (const name of ["legitimate", "victim", "neighbour"]) {
    const email = `${name}@localhost.example`;
    const user = await must(root.post("/users", { email, password, display_name: name, is_admin: false }));
    await must(root.post(`/projects/${slug}/memberships`, { user_id: user.id, role: "viewer" }));
  }
  const other = await must(root.post("/projects", { slug: "other", name: "Other" }));
  const minted = await must(root.post(`/projects/${other.slug}/agents`, { name: "other" }));
  return {
    legitimate: { email: "legitimate@localhost.example", password },
    victim: "victim@localhost.example",
    neighbour: await signIn(service.url, "neighbour@localhost.example", password),
    otherAgent: { agentId: minted.agent.id, token: minted.token, hmacSecret: minted.hmac_secret },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of its route
async function must(answer: Promise<{ status: number; body: any; text: string }>): Promise<any> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(`preparing the site answered ${status}: ${text.slice(0, 300)}`);
  return body;
}

/** A poller of the first agent, for signed uploads. */
export async function startPoller(service: AttackedService): Promise<RawPoller> {
  const poller = createRawPoller({ url: service.url, projectId: service.projectId, ...firstAgentOf(service) });
  await poller.probe();
  return poller;
}

/** Uploads events one by one and records the acknowledged ones. */
export async function startUploads(service: AttackedService) {
  const poller = await startPoller(service);
  const acknowledged: string[] = [];
  return {
    acknowledged,
    /** Whether the service acknowledged it. */
    async upload(data: Record<string, unknown> = {}): Promise<boolean> {
      const events = rawEvents(1, undefined, data);
      try {
        const { status, body } = await poller.upload([poller.sign("event_batch", { events })]);
        if (status !== 200 || body.accepted !== 1) return false;
        acknowledged.push(events[0]?.task_id ?? "");
        return true;
      } catch {
        return false;
      }
    },
    /** The number of acknowledged events that are not stored. */
    async lost({ query }: Pick<AttackedService, "query"> = service): Promise<number> {
      const stored = new Set((await query("SELECT task_id FROM events")).map(({ task_id }) => task_id));
      return acknowledged.filter((id) => !stored.has(id)).length;
    },
  };
}
