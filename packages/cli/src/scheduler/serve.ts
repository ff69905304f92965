import type { RunningScheduler } from "@svc/scheduler";
import { defineCommand, type Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { explainBrainFault } from "../settings/brain-faults.ts";
import { listenForStop } from "../terminal/stop-signal.ts";

/** Time limit for stopping; fires that are still open get 8 s of it. */
const stopMs = 9500;

export const schedulerServe = defineCommand({
  usage: ["scheduler serve"],
  details: [
    "Connects to the gRPC listener of the service, fires its schedules, and serves /health, /info and /metrics.",
    "Settings are those of the scheduler, SVC_SCHEDULER_*. Start it on several machines with a leader backend to survive the loss of one.",
    "SIGTERM, Ctrl-C and closing the terminal stop it: open fires get 8 s to finish, and the next leader takes over at once.",
  ],
  async run(_given, terminal) {
    using stop = listenForStop();
    const scheduler = await startOrExplain(terminal);
    const { host, port } = scheduler.address;
    terminal.err(`svc scheduler is ready at http://${host.includes(":") ? `[${host}]` : host}:${port}`);
    await stop.received;
    const timeout = setTimeout(() => {
      terminal.err("svc: the scheduler did not stop within 10 s");
      process.exit(1);
    }, stopMs);
    await scheduler.stop();
    clearTimeout(timeout);
  },
});

/** @throws CliError with a text for the user. Leaves nothing running. */
async function startOrExplain(terminal: Terminal): Promise<RunningScheduler> {
  const [{ createLog, loadProcessSettings }, scheduler] = await Promise.all([
    import("@svc/brain/process-settings"),
    import("@svc/scheduler"),
  ]);
  try {
    const { values, warnings } = loadProcessSettings(scheduler.schedulerSettings, [scheduler.checkSchedulerSettings]);
    for (const warning of warnings) terminal.err(`svc: ${warning}`);
    const log = createLog({ level: values.SVC_LOG_LEVEL, json: values.SVC_LOG_JSON });
    return await scheduler.startScheduler({ settings: values, log });
  } catch (cause) {
    if (cause instanceof scheduler.SchedulerSettingsError)
      throw new CliError("configuration", cause.message, { cause });
    throw listenRefusal(cause as NodeJS.ErrnoException) ?? (await explainBrainFault(cause, terminal));
  }
}

function listenRefusal(cause: NodeJS.ErrnoException & { address?: string; port?: number }): CliError | undefined {
  const { syscall, code, address, port } = cause;
  if (syscall !== "listen" && syscall !== "getaddrinfo") return undefined;
  const reason =
    code === "EADDRINUSE"
      ? `port ${port} on ${address} is in use. Choose another one with SVC_SCHEDULER_BIND_PORT`
      : `cannot listen on this address (${code}). Choose another one with SVC_SCHEDULER_BIND_HOST`;
  return new CliError("failed", reason, { cause });
}
