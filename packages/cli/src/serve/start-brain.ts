import type { RunningBrain, StartOptions } from "@svc/brain";
import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { explainBrainFault } from "../settings/brain-faults.ts";

/** Time limit for stopping a service. */
export const drainMs = 10_000;

/** @throws CliError with a text for the user: settings, database or port. Leaves nothing running. */
export async function startBrainOrExplain(options: StartOptions, terminal: Terminal): Promise<RunningBrain> {
  const { ListenRefused, startBrain } = await import("@svc/brain");
  try {
    return await startBrain(options);
  } catch (cause) {
    const refusal = listenRefusal(cause as NodeJS.ErrnoException & { address?: string; port?: number });
    if (refusal !== undefined) throw new CliError("failed", refusal, { cause });
    if (cause instanceof ListenRefused) {
      const advice = "Choose another one with SVC_SCHEDULER_GRPC_BIND_HOST and SVC_SCHEDULER_GRPC_BIND_PORT";
      throw new CliError("failed", `${cause.message}. ${advice}`, { cause });
    }
    throw await explainBrainFault(cause, terminal);
  }
}

function listenRefusal({ syscall, code, address, port }: NodeJS.ErrnoException & { address?: string; port?: number }) {
  // The parent process binds the port of its workers.
  if (syscall !== "listen" && syscall !== "bind" && syscall !== "getaddrinfo") return undefined;
  if (code === "EADDRINUSE") return `port ${port} on ${address} is in use. Choose another one with --port`;
  if (code === "EACCES") return `this user may not use port ${port} on ${address}. Choose another one with --port`;
  return `cannot listen on this address (${code}). Choose another one with --host`;
}

/** Stops within 10 s. Gives up an unfinished drain with exit code 1. */
export async function stopInTime(brain: Pick<RunningBrain, "stop">, terminal: Terminal): Promise<void> {
  const timeout = setTimeout(() => {
    terminal.err(`svc: the drain did not finish within ${drainMs / 1000} s`);
    process.exit(1);
  }, drainMs - 500);
  await brain.stop();
  clearTimeout(timeout);
}
