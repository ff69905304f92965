import type { CommandTable } from "./command-line/command.ts";

/** Every command, in the order of `svc help`. One file each, loaded when it runs, so that `svc version` loads no server. */
export const commands: CommandTable = [
  {
    name: "serve",
    summary: "start the service",
    load: async () => (await import("./serve/serve.ts")).serve,
  },
  {
    name: "demo",
    summary: "try the service with a sample engine; keeps nothing",
    load: async () => (await import("./serve/demo.ts")).demo,
  },
  {
    name: "agent",
    summary: "watch an engine and report to the service",
    load: async () => (await import("./agent/agent.ts")).agent,
  },
  {
    name: "tasks",
    summary: "list, look at, retry and cancel tasks of a service",
    commands: [
      {
        name: "list",
        summary: "list tasks, newest first",
        load: async () => (await import("./tasks/list.ts")).tasksList,
      },
      {
        name: "show",
        summary: "show one task",
        load: async () => (await import("./tasks/show.ts")).tasksShow,
      },
      {
        name: "retry",
        summary: "run tasks again",
        load: async () => (await import("./tasks/act.ts")).tasksRetry,
      },
      {
        name: "cancel",
        summary: "cancel tasks",
        load: async () => (await import("./tasks/act.ts")).tasksCancel,
      },
    ],
  },
  {
    name: "commands",
    summary: "list and follow the commands that agents were given",
    commands: [
      {
        name: "list",
        summary: "list commands, newest first",
        load: async () => (await import("./agent-commands/list.ts")).commandsList,
      },
      {
        name: "show",
        summary: "show one command",
        load: async () => (await import("./agent-commands/list.ts")).commandsShow,
      },
      {
        name: "watch",
        summary: "wait for the outcome of a command, or follow all of them",
        load: async () => (await import("./agent-commands/watch.ts")).commandsWatch,
      },
    ],
  },
  {
    name: "dead-letters",
    summary: "list and requeue what an engine has given up on",
    commands: [
      {
        name: "list",
        summary: "list dead letters, newest first",
        load: async () => (await import("./dead-letters/list.ts")).deadLettersList,
      },
      {
        name: "requeue",
        summary: "put dead letters back into their queue",
        load: async () => (await import("./dead-letters/requeue.ts")).deadLettersRequeue,
      },
    ],
  },
  {
    name: "bulk-retry",
    summary: "retry every task that matches a filter",
    commands: [
      {
        name: "create",
        summary: "begin a bulk retry and follow it",
        load: async () => (await import("./bulk-retry/create.ts")).bulkRetryCreate,
      },
      {
        name: "list",
        summary: "list bulk retries",
        load: async () => (await import("./bulk-retry/list.ts")).bulkRetryList,
      },
      {
        name: "show",
        summary: "tell how far a bulk retry has come",
        load: async () => (await import("./bulk-retry/control.ts")).bulkRetryShow,
      },
      {
        name: "watch",
        summary: "follow a bulk retry to its end",
        load: async () => (await import("./bulk-retry/control.ts")).bulkRetryWatch,
      },
      {
        name: "pause",
        summary: "hold a bulk retry",
        load: async () => (await import("./bulk-retry/control.ts")).bulkRetryPause,
      },
      {
        name: "resume",
        summary: "go on with a bulk retry",
        load: async () => (await import("./bulk-retry/control.ts")).bulkRetryResume,
      },
    ],
  },
  {
    name: "login",
    summary: "sign in to a service, for the commands that take no API key",
    load: async () => (await import("./session/login.ts")).login,
  },
  {
    name: "logout",
    summary: "end the session of svc login",
    load: async () => (await import("./session/logout.ts")).logout,
  },
  {
    name: "audit",
    summary: "verify, prune and anchor the audit chain",
    commands: [
      {
        name: "verify",
        summary: "walk the whole chain",
        load: async () => (await import("./audit/verify.ts")).auditVerify,
      },
      {
        name: "prune",
        summary: "remove the rows before an instant",
        load: async () => (await import("./audit/prune.ts")).auditPrune,
      },
      {
        name: "export-head",
        summary: "write the head as an anchor",
        load: async () => (await import("./audit/anchor.ts")).auditExportHead,
      },
      {
        name: "verify-anchor",
        summary: "hold the chain against an anchor",
        load: async () => (await import("./audit/anchor.ts")).auditVerifyAnchor,
      },
      {
        name: "rotate-chain-key",
        summary: "sign the chain's state with the present secret",
        load: async () => (await import("./audit/rotate.ts")).auditRotateChainKey,
      },
    ],
  },
  {
    name: "bootstrap-admin",
    summary: "make the first administrator, or with --force one more",
    load: async () => (await import("./accounts/bootstrap-admin.ts")).bootstrapAdmin,
  },
  {
    name: "changepassword",
    summary: "give an account a new password, and unlock it",
    load: async () => (await import("./accounts/changepassword.ts")).changepassword,
  },
  {
    name: "reset-mfa",
    summary: "end the second factor of an account",
    load: async () => (await import("./accounts/reset-mfa.ts")).resetMfa,
  },
  {
    name: "check",
    summary: "look at configuration, database, migrations and secrets",
    load: async () => (await import("./settings/check.ts")).check,
  },
  {
    name: "doctor",
    summary: "look at everything around the service as well, with advice",
    load: async () => (await import("./settings/check.ts")).doctor,
  },
  {
    name: "config",
    summary: "the settings that the service would start with",
    commands: [
      {
        name: "show",
        summary: "print every setting with its source, secrets masked",
        load: async () => (await import("./settings/config.ts")).configShow,
      },
      {
        name: "validate",
        summary: "list every fault of the settings",
        load: async () => (await import("./settings/config.ts")).configValidate,
      },
    ],
  },
  {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./command-line/completion.ts")).completionOf(commands),
  },
  {
    name: "version",
    summary: "print version, runtime and newest schema",
    load: async () => (await import("./version.ts")).version,
  },
];
