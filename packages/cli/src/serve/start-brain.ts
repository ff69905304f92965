import type { RunningBrain, StartOptions } from "@svc/brain";
import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { explainBrainFault } from "../settings/brain-faults.ts";

/** Bound of a stop, of every command that serves. */
export const drainMs = 10_000;

/** @throws CliError in words for people: settings, database, port. Nothing is left running then. */
export async function startBrainOrExplain(options: StartOptions, terminal: Terminal): Promise<RunningBrain> {
  const { startBrain } = await import("@svc/brain");
  try {
    return await startBrain(options);
  } catch (cause) {
    const refusal = listenRefusal(cause as NodeJS.ErrnoException & { address?: string; port?: number });
    if (refusal !== undefined) throw new CliError("failed", refusal, { cause });
    throw await explainBrainFault(cause, terminal);
  }
}

function listenRefusal({ syscall, code, address, port }: NodeJS.ErrnoException & { address?: string; port?: number }) {
  // A worker's port is bound by the process that started it.
  if (syscall !== "listen" && syscall !== "bind" && syscall !== "getaddrinfo") return undefined;
  if (code === "EADDRINUSE") return `port ${port} on ${address} is in use; choose another with --port`;
  if (code === "EACCES") return `port ${port} on ${address} may not be used by this user; choose another with --port`;
  return `the address to listen on cannot be used (${code}); choose another with --host`;
}

/** Stops within 10 s: a drain that does not end then is given up, with exit code 1. */
export async function stopInTime(brain: Pick<RunningBrain, "stop">, terminal: Terminal): Promise<void> {
  const bound = setTimeout(() => {
    terminal.err(`svc: not drained within ${drainMs / 1000} s`);
    process.exit(1);
  }, drainMs - 500);
  await brain.stop();
  clearTimeout(bound);
}
