import { agentEntry } from "./agent/agent-entry.ts";
import type { Command, CommandEntry, CommandGroup, CommandTable } from "./command-line/command.ts";

/** A command that the file imported by `load` exports as `exported`. */
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

/** Every command in the order of `svc help`. Each has its own file, loaded when it runs, so `svc version` loads no server. */
export const commands: CommandTable = [
  command("serve", "start the service", () => import("./serve/serve.ts"), "serve"),
  command(
    "demo",
    "try the service with a sample engine, without keeping data",
    () => import("./serve/demo.ts"),
    "demo",
  ),
  agentEntry,
  group("scheduler", "run the process that fires schedules, and compute slots", [
    command("serve", "start a scheduler", () => import("./scheduler/serve.ts"), "schedulerServe"),
    command("next", "print the next slots of an expression", () => import("./scheduler/next.ts"), "schedulerNext"),
  ]),
  group("tasks", "list, show, retry and cancel tasks", [
    command("list", "list tasks, newest first", () => import("./tasks/list.ts"), "tasksList"),
    command("show", "show one task", () => import("./tasks/show.ts"), "tasksShow"),
    command("retry", "run tasks again", () => import("./tasks/act.ts"), "tasksRetry"),
    command("cancel", "cancel tasks", () => import("./tasks/act.ts"), "tasksCancel"),
  ]),
  group("commands", "list and follow commands for agents", [
    command("list", "list commands, newest first", () => import("./agent-commands/list.ts"), "commandsList"),
    command("show", "show one command", () => import("./agent-commands/list.ts"), "commandsShow"),
    command(
      "watch",
      "wait for a command, or follow all commands",
      () => import("./agent-commands/watch.ts"),
      "commandsWatch",
    ),
  ]),
  group("dead-letters", "list and requeue dead letters", [
    command("list", "list dead letters, newest first", () => import("./dead-letters/list.ts"), "deadLettersList"),
    command("requeue", "requeue dead letters", () => import("./dead-letters/requeue.ts"), "deadLettersRequeue"),
  ]),
  group("bulk-retry", "retry every task that matches a filter", [
    command("create", "start a bulk retry and follow it", () => import("./bulk-retry/create.ts"), "bulkRetryCreate"),
    command("list", "list bulk retries", () => import("./bulk-retry/list.ts"), "bulkRetryList"),
    command("show", "show the progress of a bulk retry", () => import("./bulk-retry/control.ts"), "bulkRetryShow"),
    command(
      "watch",
      "follow a bulk retry until it finishes",
      () => import("./bulk-retry/control.ts"),
      "bulkRetryWatch",
    ),
    command(
      "cancel",
      "cancel a bulk retry that is still searching for tasks",
      () => import("./bulk-retry/control.ts"),
      "bulkRetryCancel",
    ),
    command("pause", "pause a bulk retry", () => import("./bulk-retry/control.ts"), "bulkRetryPause"),
    command("resume", "resume a bulk retry", () => import("./bulk-retry/control.ts"), "bulkRetryResume"),
  ]),
  group("schedules", "list, create, control, import and export schedules", [
    command("list", "list schedules by name", () => import("./schedules/list.ts"), "schedulesList"),
    command("show", "show one schedule and its next runs", () => import("./schedules/show.ts"), "schedulesShow"),
    command("create", "create a schedule", () => import("./schedules/definition/create.ts"), "schedulesCreate"),
    command("update", "change a schedule", () => import("./schedules/definition/update.ts"), "schedulesUpdate"),
    command("enable", "enable schedules", () => import("./schedules/control.ts"), "schedulesEnable"),
    command("disable", "disable schedules", () => import("./schedules/control.ts"), "schedulesDisable"),
    command("pause", "hold schedules until they are resumed", () => import("./schedules/control.ts"), "schedulesPause"),
    command("resume", "resume paused schedules", () => import("./schedules/control.ts"), "schedulesResume"),
    command("delete", "delete schedules", () => import("./schedules/control.ts"), "schedulesDelete"),
    command(
      "clear-quarantine",
      "release schedules that a scheduler could not fire",
      () => import("./schedules/control.ts"),
      "schedulesClearQuarantine",
    ),
    command(
      "resolve-fire",
      "set how a fire without an outcome ended",
      () => import("./schedules/resolve-fire.ts"),
      "schedulesResolveFire",
    ),
    command(
      "resync",
      "ask agents to report the schedules of their engines again",
      () => import("./schedules/resync.ts"),
      "schedulesResync",
    ),
    command("run", "start the task of a schedule once, now", () => import("./schedules/run.ts"), "schedulesRun"),
    command(
      "misfires",
      "list slots and tasks that were not on time",
      () => import("./schedules/misfires.ts"),
      "schedulesMisfires",
    ),
    command(
      "forecast",
      "count the slots of the next days by hour",
      () => import("./schedules/forecast.ts"),
      "schedulesForecast",
    ),
    command(
      "diff",
      "show what an import would change",
      () => import("./schedules/transfer/import.ts"),
      "schedulesDiff",
    ),
    command(
      "import",
      "import a crontab, or schedules of Celery beat, BullMQ or svc",
      () => import("./schedules/transfer/import.ts"),
      "schedulesImport",
    ),
    command(
      "export",
      "print schedules as JSON or as a crontab",
      () => import("./schedules/transfer/export.ts"),
      "schedulesExport",
    ),
  ]),
  command(
    "login",
    "sign in to a service with an email address and a password",
    () => import("./session/login.ts"),
    "login",
  ),
  command("logout", "sign out", () => import("./session/logout.ts"), "logout"),
  group("audit", "verify, prune and anchor the audit chain", [
    command("verify", "verify the whole audit chain", () => import("./audit/verify.ts"), "auditVerify"),
    command("prune", "remove audit rows older than a date", () => import("./audit/prune.ts"), "auditPrune"),
    command(
      "export-head",
      "write the head of the chain as an anchor",
      () => import("./audit/anchor.ts"),
      "auditExportHead",
    ),
    command(
      "verify-anchor",
      "verify the chain against an anchor",
      () => import("./audit/anchor.ts"),
      "auditVerifyAnchor",
    ),
    command(
      "rotate-chain-key",
      "sign the state of the chain with the current secret",
      () => import("./audit/rotate.ts"),
      "auditRotateChainKey",
    ),
  ]),
  command(
    "bootstrap-admin",
    "create the first administrator, or with --force another one",
    () => import("./accounts/bootstrap-admin.ts"),
    "bootstrapAdmin",
  ),
  command(
    "changepassword",
    "reset an account's password and unlock it",
    () => import("./accounts/changepassword.ts"),
    "changepassword",
  ),
  command("reset-mfa", "remove the second factor of an account", () => import("./accounts/reset-mfa.ts"), "resetMfa"),
  command(
    "mint-scheduler-cert",
    "issue a certificate for a scheduler or for the service",
    () => import("./certificates/mint-scheduler-cert.ts"),
    "mintSchedulerCert",
  ),
  command(
    "check",
    "check configuration, database, migrations and secrets",
    () => import("./settings/check.ts"),
    "check",
  ),
  command(
    "doctor",
    "check the service and its environment, with advice",
    () => import("./settings/check.ts"),
    "doctor",
  ),
  group("config", "show and validate the settings", [
    command(
      "show",
      "print every setting with its source, secrets masked",
      () => import("./settings/config.ts"),
      "configShow",
    ),
    command("validate", "list every invalid setting", () => import("./settings/config.ts"), "configValidate"),
  ]),
  {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./command-line/completion.ts")).completionOf(commands),
  },
  command("version", "print version, runtime and newest schema", () => import("./version.ts"), "version"),
];
