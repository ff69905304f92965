import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./agent-program.ts", import.meta.url));

/** A command that the adapter of an agent process was given. */
export interface CarriedOut {
  readonly id: string;
  readonly taskId: string;
}

export type AgentProcess = ReturnType<typeof startAgentProcess>;

/**
 * An agent with one adapter, `scripted`, in a process of its own, which a test can stop and kill.
 *
 * @param settings of `startAgent`, as far as they can be written down.
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
  child.on("message", (told: { begun?: string; ended?: string; taskId: string }) => {
    if (told.begun !== undefined) begun.push({ id: told.begun, taskId: told.taskId });
    if (told.ended !== undefined) ended.push({ id: told.ended, taskId: told.taskId });
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    /** The commands that its adapter was given, in order. */
    begun: begun as readonly CarriedOut[],
    /** Those of them that have ended, and whose outcome is written down. */
    ended: ended as readonly CarriedOut[],
    /** Ends what its adapter is at. */
    endAll: () => void child.send("end"),
    /** SIGSTOP: it reads nothing any more, and its connections stay. */
    freeze: () => void child.kill("SIGSTOP"),
    /** SIGKILL; resolves when the process has ended. */
    async kill() {
      process.removeListener("exit", dieWithUs);
      child.kill("SIGKILL");
      await closed;
    },
  };
}
