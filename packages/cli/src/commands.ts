import type { CommandTable } from "./command.ts";

/** Every command, in the order of `svc help`. One file each, loaded when it runs, so that `svc version` loads no server. */
export const commands: CommandTable = [
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
    commands: [
      {
        name: "verify",
        summary: "walk the whole chain",
        load: async () => (await import("./audit-verify.ts")).auditVerify,
      },
      {
        name: "prune",
        summary: "remove the rows before an instant",
        load: async () => (await import("./audit-prune.ts")).auditPrune,
      },
      {
        name: "export-head",
        summary: "write the head as an anchor",
        load: async () => (await import("./audit-anchor.ts")).auditExportHead,
      },
      {
        name: "verify-anchor",
        summary: "hold the chain against an anchor",
        load: async () => (await import("./audit-anchor.ts")).auditVerifyAnchor,
      },
      {
        name: "rotate-chain-key",
        summary: "sign the chain's state with the present secret",
        load: async () => (await import("./audit-rotate.ts")).auditRotateChainKey,
      },
    ],
  },
  {
    name: "bootstrap-admin",
    summary: "make the first administrator, or with --force one more",
    load: async () => (await import("./bootstrap-admin.ts")).bootstrapAdmin,
  },
  {
    name: "changepassword",
    summary: "give an account a new password, and unlock it",
    load: async () => (await import("./changepassword.ts")).changepassword,
  },
  {
    name: "reset-mfa",
    summary: "end the second factor of an account",
    load: async () => (await import("./reset-mfa.ts")).resetMfa,
  },
  {
    name: "check",
    summary: "look at configuration, database, migrations and secrets",
    load: async () => (await import("./check.ts")).check,
  },
  {
    name: "doctor",
    summary: "look at everything around the service as well, with advice",
    load: async () => (await import("./check.ts")).doctor,
  },
  {
    name: "config",
    summary: "the settings that the service would start with",
    commands: [
      {
        name: "show",
        summary: "print every setting with its source, secrets masked",
        load: async () => (await import("./config.ts")).configShow,
      },
      {
        name: "validate",
        summary: "list every fault of the settings",
        load: async () => (await import("./config.ts")).configValidate,
      },
    ],
  },
  {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./completion.ts")).completionOf(commands),
  },
  {
    name: "version",
    summary: "print version, runtime and newest schema",
    load: async () => (await import("./version.ts")).version,
  },
];
