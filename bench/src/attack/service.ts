import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { type ApiClient, signIn } from "@svc/testkit/brain";
import pg from "pg";
import { onFreshPostgres } from "../harness/databases.ts";
import { type BenchBrain, benchAccount, startBenchBrain } from "../harness/processes.ts";
import type { AttackContext } from "./attack.ts";

/** A real `svc serve` under attack: its log is counted, its clock can be moved and its database read beside it. */
export interface AttackedService extends BenchBrain {
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly log: { readonly lines: number; readonly bytes: number; readonly newest: string };
  /** Reads rows beside the service; PostgreSQL and SQLite take the same text, without parameters. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Moves the wall clock of the service; its monotonic clock goes on as before. */
  shiftClock(ms: number): Promise<void>;
  /** Resident memory in bytes, as little as it is after some garbage collections: allocators give pages back when they please. */
  settledMemory(): Promise<number>;
}

export interface ServiceOptions {
  readonly home: string;
  readonly databaseUrl?: string | undefined;
  readonly agents?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Wall clock of the service at its start, against the real one. */
  readonly shiftMs?: number;
  /** Timers of half an hour and more run this many times faster, so that retention passes come within seconds. */
  readonly timerDivisor?: number;
}

/**
 * Loaded into every thread of the service before its own code. A control file carries the shift of the wall clock; SIGWINCH, which a
 * service without terminal never gets, collects garbage.
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

/** What a production installation has, except that the test account is made at the start. */
const productionLike = {
  SVC_LOG_LEVEL: "info",
  SVC_ARGON2_TIME_COST: "3",
  SVC_ARGON2_MEMORY_COST: "65536",
  SVC_ARGON2_PARALLELISM: "4",
  SVC_TRUSTED_PROXIES: "127.0.0.1,::1",
};

export async function startService(options: ServiceOptions): Promise<AttackedService> {
  const { home, databaseUrl } = options;
  await mkdir(home, { recursive: true });
  // Apart from the home, whose disk an attack may take away.
  const control = await mkdtemp(join(tmpdir(), "svc-attack-"));
  const clockFile = join(control, "clock");
  await writeFile(clockFile, String(options.shiftMs ?? 0));
  const log = { lines: 0, bytes: 0, newest: "" };
  const brain = await startBenchBrain({
    home,
    agents: options.agents ?? 1,
    ...(databaseUrl !== undefined && { databaseUrl }),
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
    home,
    databaseUrl,
    log,
    query: (sql) => readRows(databaseUrl ?? join(home, "svc.db"), sql),
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
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    db.exec("PRAGMA busy_timeout = 10000");
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

/** People and projects of an installation that is attacked. */
export interface Site {
  readonly root: ApiClient;
  readonly slug: string;
  /** Signs in and reads during the attack. */
  readonly legitimate: { readonly email: string; readonly password: string };
  /** An account that strangers guess at. */
  readonly victim: string;
  /** A viewer who asks for too much. */
  readonly neighbour: ApiClient;
  /** An agent of another project. */
  readonly otherAgent: { readonly agentId: string; readonly token: string; readonly hmacSecret: string };
}

const password = "Quiet-Harbour-27-lanterns";

export async function prepareSite(service: AttackedService): Promise<Site> {
  const root = await signIn(service.url, benchAccount.email, benchAccount.password);
  const slug = (await must(root.get("/projects")))[0].slug as string;
  for (const name of ["legitimate", "victim", "neighbour"]) {
    const email = `${name}@localhost.example`;
    const user = await must(root.post("/users", { email, password, display_name: name, is_admin: false }));
    await must(root.post(`/projects/${slug}/memberships`, { user_id: user.id, role: "viewer" }));
  }
  const other = await must(root.post("/projects", { slug: "other", name: "Other" }));
  const minted = await must(root.post(`/projects/${other.slug}/agents`, { name: "other" }));
  return {
    root,
    slug,
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

/** Runs on SQLite, and on PostgreSQL as well when that was asked for. */
export async function onEachDatabase<T>(
  context: AttackContext,
  run: (database: {
    readonly label: string;
    readonly home: string;
    readonly databaseUrl?: string;
  }) => Promise<readonly T[]>,
): Promise<T[]> {
  const rows = [...(await run({ label: "SQLite", home: join(context.scratchDir, "sqlite") }))];
  if (!context.dialects.includes("postgres")) return rows;
  const more = await onFreshPostgres(context, (databaseUrl) =>
    run({ label: "PostgreSQL", home: join(context.scratchDir, "postgres"), databaseUrl }),
  );
  return [...rows, ...more];
}
