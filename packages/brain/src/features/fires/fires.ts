import type { Redactor } from "@svc/protocol";
import type { Commands } from "../commands/index.ts";
import { createReplay, type ReplayDeps } from "./buffer/replay.ts";
import { createFireCalls, type FireCallsDeps } from "./firing/fire-calls.ts";
import { firePartitions } from "./firing/partitions.ts";
import { createFireLists, type FireListDeps } from "./listing/lists.ts";
import { createResolve } from "./operations/resolve.ts";
import { createTrigger, type TriggerDeps } from "./operations/trigger.ts";
import { createAcknowledge } from "./progress/acknowledge.ts";
import { followCommands } from "./progress/follow-commands.ts";
import type { FireCalls } from "./requests.ts";
import { createBreaker } from "./upkeep/breaker.ts";
import { createMisfires, type MisfireDeps } from "./upkeep/misfires.ts";

export interface FiresDeps
  extends Omit<TriggerDeps, "partitions">,
    Pick<FireCallsDeps, "publishMoved">,
    Pick<ReplayDeps, "log">,
    Pick<MisfireDeps, "metrics"> {
  readonly settings: FireCallsDeps["settings"] & FireListDeps["settings"] & MisfireDeps["settings"];
  readonly commands: Pick<Commands, "issueIn" | "offer" | "onMoved" | "reports">;
  readonly redactor: Pick<Redactor, "redact">;
}

/** Fires of the schedules of this service: accepted, followed to their outcome, and kept. */
export function createFires(given: FiresDeps) {
  const deps = { ...given, partitions: firePartitions(given.database) };
  followCommands(deps.commands);
  const calls: FireCalls = { ...createFireCalls(deps), acknowledge: createAcknowledge(deps) };
  return {
    /** For schedulers. */
    calls,
    lists: createFireLists(deps),
    buffer: createReplay(deps),
    misfires: createMisfires(deps),
    breaker: createBreaker(deps),
    trigger: createTrigger(deps),
    resolve: createResolve(deps),
  };
}

export type Fires = ReturnType<typeof createFires>;
