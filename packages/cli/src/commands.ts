import type { CommandEntry } from "./command.ts";

/** Every command, in the order of `svc help`. One file each, loaded when it runs, so that `svc version` loads no server. */
export const commands: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "start the service",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "demo",
    summary: "try the service with a sample engine; keeps nothing",
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "agent",
    summary: "watch an engine and report to the service",
    load: async () => (await import("./agent.ts")).agent,
  },
  {
    name: "audit",
    summary: "verify, prune and anchor the audit chain",
    load: async () => (await import("./audit.ts")).audit,
  },
  {
    name: "version",
    summary: "print version, runtime and newest schema",
    load: async () => (await import("./version.ts")).version,
  },
];
