import os from "node:os";
import { readDatabaseFacts } from "../../platform/database/dialects/database-facts.ts";
import type { Log } from "../../platform/log.ts";
import { createThrottledLogPerSource } from "../../platform/throttled-log.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { Audit } from "../audit/index.ts";
import { type Check, runChecks } from "./checks.ts";
import type { DeepAnswer, SystemAnswer } from "./schemas.ts";
import type { WriteFault, WriteProbe } from "./write-probe.ts";

export interface HealthDeps extends Core {
  readonly log: Log;
  readonly audit: Pick<Audit, "checkState" | "lastVerification">;
  /** Whether the rows of the audit chain are verified on a schedule. */
  readonly verifiesAudit: boolean;
  readonly version: string;
  /** Versions of the packages that run in this process. */
  readonly packages: Readonly<Record<string, string>>;
  /** Newest migration applied to the database, and the newest that this program knows. */
  readonly schema: { applied(): Promise<string>; readonly expected: string };
  /** False until start-up has finished. */
  readonly isStarted: () => boolean;
  /** Whether the database takes writes. */
  readonly writeProbe: Pick<WriteProbe, "fault">;
  /** Checks of other features. */
  readonly checks?: readonly Check[];
}

export type Readiness =
  | { readonly isReady: true }
  | { readonly isReady: false; readonly reason: "starting" | "database" | WriteFault };

const writeFaults: Readonly<Record<WriteFault, string>> = {
  write_probe_failed: "The database refused the last write. Check whether its disk is full or it is read-only.",
  write_probe_stale: "No write to the database has succeeded for 30 s.",
};

const readyLimitMs = 2000;
const bytesPerMegabyte = 1_048_576;

/** Health and version facts of the service. */
export function createHealth(deps: HealthDeps) {
  const { database, clock, log, audit } = deps;
  const checks: readonly Check[] = [
    {
      name: "database",
      async run() {
        const startedMs = clock.monotonicMs();
        await database.ping();
        return { status: "ok", latency_ms: Math.round((clock.monotonicMs() - startedMs) * 1000) / 1000 };
      },
    },
    {
      name: "writes",
      async run() {
        const fault = deps.writeProbe.fault();
        return fault === null ? { status: "ok" } : { status: "failed", detail: writeFaults[fault] };
      },
    },
    {
      name: "migrations",
      async run() {
        const revision = await deps.schema.applied();
        const { expected } = deps.schema;
        return { status: revision === expected ? "ok" : "degraded", revision, expected };
      },
    },
    {
      name: "audit_chain",
      async run() {
        const activated = await audit.checkState();
        const last = await audit.lastVerification();
        const verification = { enabled: deps.verifiesAudit, ...(last !== null && { last }) };
        return { status: "ok", activated, scope: "state-only", verification };
      },
    },
    {
      name: "leadership",
      async run() {
        const lease = await database.lead("health.probe");
        await lease?.release();
        return { status: "ok" };
      },
    },
    ...(deps.checks ?? []),
  ];

  // Throttled per failing check, so that a further failure is logged at once.
  const notOk = createThrottledLogPerSource(clock, (times, about) => log.warn("health.not_ok", { ...about, times }));

  return {
    async readiness(): Promise<Readiness> {
      if (!deps.isStarted()) return { isReady: false, reason: "starting" };
      if (!(await answersWithin(database.ping(), readyLimitMs))) return { isReady: false, reason: "database" };
      const fault = deps.writeProbe.fault();
      return fault === null ? { isReady: true } : { isReady: false, reason: fault };
    },
    async system(): Promise<SystemAnswer> {
      const { version, sizeBytes } = await readDatabaseFacts(database);
      return {
        svc_version: deps.version,
        runtime: "node",
        runtime_version: process.versions.node,
        os: `${os.type()} ${os.release()}`,
        architecture: process.arch,
        pid: process.pid,
        database_type: database.dialect,
        database_version: version,
        ...(sizeBytes !== null && { database_size_mb: Math.round((sizeBytes / bytesPerMegabyte) * 100) / 100 }),
        packages: { ...deps.packages },
      };
    },
    async deep(): Promise<DeepAnswer> {
      const answer = await runChecks(checks);
      if (answer.status !== "ok") notOk(faultsOf(answer), { checks: answer.checks });
      return answer;
    },
  };
}

export type Health = ReturnType<typeof createHealth>;

function faultsOf({ checks }: DeepAnswer): string {
  const faults = Object.entries(checks).filter(([, { status }]) => status !== "ok");
  return faults.map(([name, { status }]) => `${name} ${status}`).join();
}

async function answersWithin(answer: Promise<unknown>, limitMs: number): Promise<boolean> {
  const limit = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => limit.resolve(false), limitMs);
  try {
    return await Promise.race([
      answer.then(
        () => true,
        () => false,
      ),
      limit.promise,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
