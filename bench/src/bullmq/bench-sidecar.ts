import { once } from "node:events";
import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import { type BenchBrain, firstAgentOf, startFile } from "../harness/processes.ts";
import type { AgentProcessOptions, AgentState } from "./agent-process.ts";

/** The real side-car in a separate process, as the brain's first agent; resolves when it is connected. */
export async function startSidecarOf(
  brain: BenchBrain,
  where: { readonly redis: string; readonly prefix: string; readonly bufferPath: string },
) {
  const { token, hmacSecret } = firstAgentOf(brain);
  const options: AgentProcessOptions = { ...where, brainUrl: brain.url, token, hmacSecret };
  const child = startFile(join(import.meta.dirname, "agent-process.ts"), options);
  await once(child, "message");
  const state = async (): Promise<AgentState> => {
    child.send("state");
    const [answer] = (await once(child, "message")) as [AgentState];
    return answer;
  };
  return {
    state,
    /** The state once all read events are acknowledged and stay so for a moment. */
    async drained(): Promise<AgentState> {
      let quietRounds = 0;
      return waitFor(
        async () => {
          const now = await state();
          quietRounds = now.bufferedFrames === 0 ? quietRounds + 1 : 0;
          return quietRounds >= 10 && now;
        },
        { withinMs: 60_000, everyMs: 100, that: "an empty buffer of the side-car" },
      );
    },
    stop: () => void child.kill("SIGKILL"),
  };
}
