import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./agent-program.ts", import.meta.url));

/** A command that the adapter of an agent process received. */
export interface CarriedOut {
  readonly id: string;
  readonly taskId: string;
}

export type AgentProcess = ReturnType<typeof startAgentProcess>;

/**
 * An agent with one adapter, `scripted`, in a separate process that a test can stop and kill.
 *
 * @param settings the options of `startAgent` that can be serialized.
 */
export function startAgentProcess(settings: Readonly<Record<string, unknown>>) {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const dieWithUs = () => child.kill("SIGKILL");
  process.once("exit", dieWithUs);
  const begun: CarriedOut[] = [];
  const ended: CarriedOut[] = [];
  child.on("message", (report: { begun?: string; ended?: string; taskId: string }) => {
    if (report.begun !== undefined) begun.push({ id: report.begun, taskId: report.taskId });
    if (report.ended !== undefined) ended.push({ id: report.ended, taskId: report.taskId });
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    /** The commands that its adapter received, in order. */
    begun: begun as readonly CarriedOut[],
    /** The commands that have finished and whose outcome is stored. */
    ended: ended as readonly CarriedOut[],
    /** Finishes the adapter's running command. */
    endAll: () => void child.send("end"),
    /** SIGSTOP: it stops reading, and its connections stay open. */
    freeze: () => void child.kill("SIGSTOP"),
    /** SIGKILL; resolves when the process has ended. */
    async kill() {
      process.removeListener("exit", dieWithUs);
      child.kill("SIGKILL");
      await closed;
    },
  };
}
