import type { Agents } from "../agents/index.ts";
import type { Commands } from "../commands/index.ts";
import { createResync } from "./operations/resync.ts";
import type { SendDeps } from "./operations/send.ts";
import { createSetNativeEnabled } from "./operations/set-enabled.ts";
import { createSettling, type SettleDeps } from "./operations/settle.ts";
import { createTriggerNative } from "./operations/trigger.ts";
import { createPositionCheck } from "./projection/positions.ts";

export interface NativeSchedulesDeps extends SendDeps, SettleDeps {
  readonly agents: Pick<Agents, "advertised">;
  readonly commands: Pick<Commands, "issueIn" | "offer" | "onEnded">;
}

const settledActions: ReadonlySet<string> = new Set(["schedule.enable", "schedule.disable"]);

/** Schedules of engines: operations through their agents. Ingest mirrors them from events. */
export function createNativeSchedules(deps: NativeSchedulesDeps) {
  const { settle, wake, idle } = createSettling(deps);
  const stopListening = deps.commands.onEnded(({ action }, isHere) => {
    if (isHere && settledActions.has(action)) wake();
  });
  return {
    requirePositions: createPositionCheck(deps.database),
    setNativeEnabled: createSetNativeEnabled(deps),
    triggerNative: createTriggerNative(deps),
    resync: createResync(deps),
    settle,
    /** Mirrored schedules changed. Never throws, never waits. */
    schedulesChanged: wake,
    /** Resolves when nothing is running; call it after the last event. */
    async stop(): Promise<void> {
      stopListening();
      await idle();
    },
  };
}

export type NativeSchedules = ReturnType<typeof createNativeSchedules>;
