import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startMailServer } from "@svc/testkit/services/mail";
import { onDatabases, type Place } from "../../harness/databases.ts";
import { firstAgentOf, startFile } from "../../harness/processes.ts";
import { quantile } from "../../harness/quantile.ts";
import { atMost, type BenchRow, note } from "../../harness/suite.ts";
import { type Attack, type AttackContext, none, within } from "../attack.ts";
import { type AttackedService, prepareSite, type Site, startService } from "../service.ts";
import type { FloodSource } from "./flood-addresses.ts";
import { type FloodKind, type FloodOptions, type FloodResult, floodKinds } from "./flood-load.ts";
import type { LegitimateAction, LegitimateOptions, LegitimateSamples } from "./legitimate-client.ts";
import {
  accountsSince,
  areAccounted,
  type RefusalAccounts,
  type RefusedFlood,
  readAccounts,
  refusalRows,
  refusedFloodOf,
} from "./refusal-accounts.ts";

/**
 * Runs the floods one after the other while a legitimate client signs in, reads the list and uploads. Load and client are separate
 * processes that share the machine's cores with the service, so a ratio is valid on machines with a core for each.
 */
const floodMs = { quick: 2500, standard: 15_000, full: 15_000 } as const;
const quietMs = { quick: 6000, standard: 15_000, full: 15_000 } as const;
const ratioLimit = 3;
const logLineLimit = 100;
const requestsPerSecond = 1700;
/** Requests of authenticated users: each one is real work and is not refused. */
const neighbourRate = 100;
const pacedConnections = 512;
const closedLoopConnections = 64;
/** Printed but not judged. */
const notedFloodMs = 5000;
/** Refused before any query, so one database is enough. */
const withoutDatabase: ReadonlySet<FloodKind> = new Set(["broken HTTP", "unknown paths"]);
/** Time limit for the summary of suppressed refusals. */
const summaryWithinMs = { quick: 15_000, standard: 75_000, full: 75_000 } as const;

const authenticated: ReadonlySet<FloodKind> = new Set(["searches of a viewer", "oversized uploads"]);
const spreadKinds: ReadonlySet<FloodKind> = new Set([
  "agent tokens, long-poll",
  "sign-ins, unknown accounts",
  "password resets",
  "unknown API keys",
]);

type Flood = Pick<FloodOptions, "kind" | "source" | "rate" | "connections">;

function floodsOf({ mode }: AttackContext, isMainDatabase: boolean): Flood[] {
  const floods: Flood[] = [];
  for (const kind of floodKinds.filter((kind) => isMainDatabase || !withoutDatabase.has(kind))) {
    const rate = authenticated.has(kind) ? neighbourRate : requestsPerSecond;
    const sources: FloodSource[] = authenticated.has(kind) ? ["one"] : ["one", "48"];
    if (spreadKinds.has(kind) && isMainDatabase && mode !== "quick") sources.push("spread");
    for (const source of sources) floods.push({ kind, source, rate, connections: pacedConnections });
    if (isMainDatabase && mode !== "quick")
      floods.push({
        kind,
        source: sources.includes("48") ? "48" : "one",
        rate: null,
        connections: closedLoopConnections,
      });
  }
  return floods;
}

/** Starts a program of this folder. */
const startProcess = (file: string, argument: object) => startFile(join(import.meta.dirname, file), argument);

async function runFlood(options: FloodOptions): Promise<FloodResult> {
  const load = startProcess("flood-load.ts", options);
  const [result] = await Promise.race([
    once(load, "message"),
    once(load, "exit").then(() => Promise.reject(new Error("the load process exited early"))),
  ]);
  return result as FloodResult;
}

async function startLegitimate(options: LegitimateOptions) {
  const client = startProcess("legitimate-client.ts", options);
  await Promise.race([
    once(client, "message"),
    once(client, "exit").then(() => Promise.reject(new Error("the legitimate client failed to start"))),
  ]);
  return {
    async measure(forMs: number): Promise<LegitimateSamples> {
      client.send(forMs);
      return ((await once(client, "message")) as [LegitimateSamples])[0];
    },
    stop: () => void client.kill("SIGKILL"),
  };
}

const p95 = (samples: LegitimateSamples, action: LegitimateAction) => quantile(samples[action].ms, 0.95);
const actionsOf = (samples: LegitimateSamples) => Object.keys(samples) as LegitimateAction[];

interface Measured {
  readonly rows: BenchRow[];
  /** Null when the audit log records nothing of this flood. */
  readonly refused: RefusedFlood | null;
}

interface Scene {
  readonly context: AttackContext;
  readonly label: string;
  readonly service: AttackedService;
  readonly site: Site;
  readonly legitimate: Awaited<ReturnType<typeof startLegitimate>>;
  readonly quiet: LegitimateSamples;
}

async function measureFlood(scene: Scene, flood: Flood, number: number): Promise<Measured> {
  const { context, label, service, site, legitimate, quiet } = scene;
  // The strength of a botnet and a closed loop depends on the sending machine; their latency is printed but not judged.
  const isJudged = flood.source !== "spread" && flood.rate !== null;
  const forMs = isJudged ? floodMs[context.mode] : notedFloodMs;
  const linesBefore = service.log.lines;
  const { victim, neighbour, otherAgent } = site;
  const material = { slug: service.slug, victim, cookie: neighbour.cookie, token: otherAgent.token };
  const [result, during] = await Promise.all([
    runFlood({ ...flood, number, port: service.port, forMs, material }),
    // The first requests of a flood meet an idle service; the measurement starts later.
    pause(200).then(() => legitimate.measure(forMs - 200)),
  ]);
  const lines = service.log.lines - linesBefore;
  const rate = flood.rate === null ? `${flood.connections} connections in a closed loop` : `${flood.rate}/s`;
  const name = `${label}: ${flood.kind} from ${flood.source === "48" ? "a /48" : flood.source}, ${rate}`;
  const answered = Object.entries(result.statuses).map(([status, count]) => `${status}: ${count}`);
  context.log(`${name}: ${result.sent} sent, ${result.unsent} not; ${answered.join(", ")}; ${lines} log lines`);
  const rows: BenchRow[] = [];
  let refused = 0;
  for (const action of actionsOf(during)) {
    const figure = p95(during, action);
    const row = [`${name}: ${action} p95`, figure, "ms"] as const;
    rows.push(isJudged ? atMost(...row, { limit: p95(quiet, action), target: ratioLimit }) : note(...row));
    refused += during[action].refused.length;
    if (during[action].refused.length > 0) context.log(`   ${action} refused: ${during[action].refused[0]}`);
  }
  rows.push((isJudged ? none : note)(`${name}: legitimate requests refused`, refused, "requests"));
  rows.push(within(`${name}: log lines`, lines, "lines", logLineLimit));
  await settle(scene);
  return { rows, refused: refusedFloodOf(flood.kind, result) };
}

/** Waits until the service is as fast as before, so that one flood does not affect the next measurement. */
async function settle({ legitimate, quiet, context }: Scene): Promise<void> {
  for (let round = 0; round < 15; round += 1) {
    context.signal.throwIfAborted();
    const now = await legitimate.measure(600);
    if (actionsOf(now).every((action) => quantile(now[action].ms, 0.5) <= 2 * p95(quiet, action))) return;
  }
}

async function runOn(context: AttackContext, { dialect, label, home, databaseUrl }: Place) {
  const mail = await startMailServer();
  const env = { SVC_MAIL_URL: mail.url, SVC_MAIL_FROM: "svc@localhost.example" };
  const service = await startService({ home, databaseUrl, env });
  let legitimate: Scene["legitimate"] | undefined;
  try {
    const site = await prepareSite(service);
    const { url, projectId, slug } = service;
    const agent = firstAgentOf(service);
    legitimate = await startLegitimate({ url, projectId, agent, slug, account: site.legitimate });
    await legitimate.measure(2000);
    const quiet = await legitimate.measure(quietMs[context.mode]);
    const scene: Scene = { context, label, service, site, legitimate, quiet };
    const rows: BenchRow[] = actionsOf(quiet).map((action) =>
      note(`${label}: quiet ${action} p95`, p95(quiet, action), "ms"),
    );
    const before = await readAccounts(service.query);
    const refusedFloods: RefusedFlood[] = [];
    let greatestBytes = 0;
    for (const [index, flood] of floodsOf(context, dialect === "sqlite").entries()) {
      context.signal.throwIfAborted();
      const measured = await measureFlood(scene, flood, index + 1);
      rows.push(...measured.rows);
      if (measured.refused !== null) refusedFloods.push(measured.refused);
      greatestBytes = Math.max(greatestBytes, (await service.usage()).rssBytes);
    }
    const accounts = await settledAccounts(scene, refusedFloods, before);
    rows.push(
      ...refusalRows(label, refusedFloods, accounts),
      note(`${label}: greatest resident memory`, greatestBytes / 1e6, "MB"),
    );
    return rows;
  } finally {
    legitimate?.stop();
    await service.stop();
    await mail.stop();
  }
}

/** The additions to the audit log, once they cover all refusals or the summary is due. */
async function settledAccounts(
  { service, context }: Scene,
  floods: readonly RefusedFlood[],
  before: RefusalAccounts,
): Promise<RefusalAccounts> {
  const deadline = performance.now() + summaryWithinMs[context.mode];
  for (;;) {
    const accounts = accountsSince(before, await readAccounts(service.query));
    if (areAccounted(floods, accounts) || performance.now() > deadline) return accounts;
    await pause(1000, undefined, { signal: context.signal });
  }
}

export const attack: Attack = {
  name: "floods",
  about: "unauthenticated and authenticated floods while a legitimate client works",
  requirement:
    "H1, H2: during each flood from one source or one /48, p95 of sign-in, list and upload within 3 times the quiet p95, " +
    "no refusal without audit or summary row, at most 100 log lines",
  run: (context) => onDatabases(context, context.dialects, (place) => runOn(context, place)),
};
