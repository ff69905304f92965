import { spawn } from "node:child_process";
import { join } from "node:path";
import type { MintedAgent } from "../service/test-brain.ts";
import { builtProgram, plainEnvironment } from "./built-program.ts";
import { killProcess } from "./kill-process.ts";

export type Sidecar = ReturnType<typeof startSidecar>;

interface SidecarSetting {
  brainUrl: string;
  minted: MintedAgent;
  /** Working folder and home folder. */
  folder: string;
  /** The program for Node to run; default `svc agent`. */
  program?: readonly string[];
}

/** `svc agent bullmq` in a separate process, as users run it. */
export function startSidecar(
  args: readonly string[],
  { brainUrl, minted, folder, program = [builtProgram, "agent"] }: SidecarSetting,
) {
  const child = spawn(process.execPath, [...program, "bullmq", "--brain", brainUrl, ...args], {
    cwd: folder,
    stdio: "ignore",
    env: {
      ...plainEnvironment,
      HOME: folder,
      SVC_TOKEN: minted.token,
      SVC_HMAC_SECRET: minted.hmacSecret,
      SVC_AGENT_ID: minted.agentId,
      SVC_BUFFER_PATH: join(folder, "agent"),
    },
  });
  const dieWithUs = () => child.kill("SIGKILL");
  process.once("exit", dieWithUs);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    /** SIGTERM; resolves with the exit code. */
    stop() {
      process.removeListener("exit", dieWithUs);
      child.kill("SIGTERM");
      return ended;
    },
    /** SIGKILL: no handler runs. Resolves when the process has ended. */
    async kill() {
      process.removeListener("exit", dieWithUs);
      await killProcess(child);
    },
  };
}
