import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** SIGKILL: no handler runs, nothing is flushed. Resolves when the process has ended. Safe to call twice. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
