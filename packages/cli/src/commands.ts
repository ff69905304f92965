import { agentEntry } from "./agent/agent-entry.ts";
import type { Command, CommandEntry, CommandGroup, CommandTable } from "./command-line/command.ts";

/** A command that the file which `load` imports exports as `exported`. */
const command = <Name extends string>(
  name: string,
  summary: string,
  load: () => Promise<Readonly<Record<Name, Command>>>,
  exported: Name,
): CommandEntry => ({ name, summary, load: async () => (await load())[exported] });

const group = (name: string, summary: string, commands: readonly CommandEntry[]): CommandGroup => ({
  name,
  summary,
  commands,
});

/** Every command, in the order of `svc help`. One file each, loaded when it runs, so that `svc version` loads no server. */
export const commands: CommandTable = [
  command("serve", "start the service", () => import("./serve/serve.ts"), "serve"),
  command("demo", "try the service with a sample engine; keeps nothing", () => import("./serve/demo.ts"), "demo"),
  agentEntry,
  group("tasks", "list, look at, retry and cancel tasks of a service", [
    command("list", "list tasks, newest first", () => import("./tasks/list.ts"), "tasksList"),
    command("show", "show one task", () => import("./tasks/show.ts"), "tasksShow"),
    command("retry", "run tasks again", () => import("./tasks/act.ts"), "tasksRetry"),
    command("cancel", "cancel tasks", () => import("./tasks/act.ts"), "tasksCancel"),
  ]),
  group("commands", "list and follow the commands that agents were given", [
    command("list", "list commands, newest first", () => import("./agent-commands/list.ts"), "commandsList"),
    command("show", "show one command", () => import("./agent-commands/list.ts"), "commandsShow"),
    command(
      "watch",
      "wait for the outcome of a command, or follow all of them",
      () => import("./agent-commands/watch.ts"),
      "commandsWatch",
    ),
  ]),
  group("dead-letters", "list and requeue what an engine has given up on", [
    command("list", "list dead letters, newest first", () => import("./dead-letters/list.ts"), "deadLettersList"),
    command(
      "requeue",
      "put dead letters back into their queue",
      () => import("./dead-letters/requeue.ts"),
      "deadLettersRequeue",
    ),
  ]),
  group("bulk-retry", "retry every task that matches a filter", [
    command("create", "begin a bulk retry and follow it", () => import("./bulk-retry/create.ts"), "bulkRetryCreate"),
    command("list", "list bulk retries", () => import("./bulk-retry/list.ts"), "bulkRetryList"),
    command("show", "tell how far a bulk retry has come", () => import("./bulk-retry/control.ts"), "bulkRetryShow"),
    command("watch", "follow a bulk retry to its end", () => import("./bulk-retry/control.ts"), "bulkRetryWatch"),
    command(
      "cancel",
      "cancel a bulk retry whose tasks are still searched for",
      () => import("./bulk-retry/control.ts"),
      "bulkRetryCancel",
    ),
    command("pause", "hold a bulk retry", () => import("./bulk-retry/control.ts"), "bulkRetryPause"),
    command("resume", "go on with a bulk retry", () => import("./bulk-retry/control.ts"), "bulkRetryResume"),
  ]),
  command(
    "login",
    "sign in to a service, for the commands that take no API key",
    () => import("./session/login.ts"),
    "login",
  ),
  command("logout", "end the session of svc login", () => import("./session/logout.ts"), "logout"),
  group("audit", "verify, prune and anchor the audit chain", [
    command("verify", "walk the whole chain", () => import("./audit/verify.ts"), "auditVerify"),
    command("prune", "remove the rows before an instant", () => import("./audit/prune.ts"), "auditPrune"),
    command("export-head", "write the head as an anchor", () => import("./audit/anchor.ts"), "auditExportHead"),
    command(
      "verify-anchor",
      "hold the chain against an anchor",
      () => import("./audit/anchor.ts"),
      "auditVerifyAnchor",
    ),
    command(
      "rotate-chain-key",
      "sign the chain's state with the present secret",
      () => import("./audit/rotate.ts"),
      "auditRotateChainKey",
    ),
  ]),
  command(
    "bootstrap-admin",
    "make the first administrator, or with --force one more",
    () => import("./accounts/bootstrap-admin.ts"),
    "bootstrapAdmin",
  ),
  command(
    "changepassword",
    "give an account a new password, and unlock it",
    () => import("./accounts/changepassword.ts"),
    "changepassword",
  ),
  command("reset-mfa", "end the second factor of an account", () => import("./accounts/reset-mfa.ts"), "resetMfa"),
  command(
    "check",
    "look at configuration, database, migrations and secrets",
    () => import("./settings/check.ts"),
    "check",
  ),
  command(
    "doctor",
    "look at everything around the service as well, with advice",
    () => import("./settings/check.ts"),
    "doctor",
  ),
  group("config", "the settings that the service would start with", [
    command(
      "show",
      "print every setting with its source, secrets masked",
      () => import("./settings/config.ts"),
      "configShow",
    ),
    command("validate", "list every fault of the settings", () => import("./settings/config.ts"), "configValidate"),
  ]),
  {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./command-line/completion.ts")).completionOf(commands),
  },
  command("version", "print version, runtime and newest schema", () => import("./version.ts"), "version"),
];
