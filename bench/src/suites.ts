import type { BenchSuite } from "./harness/suite.ts";

/** A line of the suite table; the file is loaded only when the suite runs. */
export interface SuiteEntry {
  readonly name: string;
  load(): Promise<BenchSuite>;
}

/** All suites, in the order of a complete run. */
export const suites: readonly SuiteEntry[] = [
  { name: "verify-frame", load: async () => (await import("./ingest/verify-frame.ts")).suite },
  { name: "next-slot", load: async () => (await import("./cadence/next-slot.ts")).suite },
  { name: "scheduler-tick", load: async () => (await import("./scheduler/tick.ts")).suite },
  { name: "scheduler-failover", load: async () => (await import("./scheduler/failover.ts")).suite },
  { name: "fires", load: async () => (await import("./scheduler/fires.ts")).suite },
  { name: "ingest-sqlite", load: async () => (await import("./ingest/sqlite.ts")).suite },
  { name: "ingest-postgres", load: async () => (await import("./ingest/postgres.ts")).suite },
  { name: "reads-sqlite", load: async () => (await import("./reads/reads.ts")).sqliteSuite },
  { name: "reads-postgres", load: async () => (await import("./reads/reads.ts")).postgresSuite },
  { name: "auth-overhead", load: async () => (await import("./reads/auth-overhead.ts")).suite },
  { name: "audit-append", load: async () => (await import("./audit/append.ts")).suite },
  { name: "audit-verify", load: async () => (await import("./audit/verify.ts")).suite },
  { name: "transport", load: async () => (await import("./transport/transport.ts")).suite },
  { name: "two-brains", load: async () => (await import("./transport/two-brains.ts")).suite },
  { name: "bulk-retry", load: async () => (await import("./bulk-retry/bulk-retry.ts")).suite },
  { name: "commands", load: async () => (await import("./fleet/commands.ts")).suite },
  { name: "idle-agents", load: async () => (await import("./fleet/idle-agents.ts")).suite },
  { name: "memory", load: async () => (await import("./transport/memory.ts")).suite },
  { name: "bullmq-sidecar", load: async () => (await import("./bullmq/sidecar.ts")).suite },
  { name: "end-to-end", load: async () => (await import("./bullmq/end-to-end.ts")).suite },
  { name: "dashboard", load: async () => (await import("./dashboard/dashboard.ts")).suite },
];
