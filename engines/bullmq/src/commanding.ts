import type { CommandOutcome } from "@svc/agent";
import {
  type CommandRunner,
  createExecutor,
  type ExecutorParts,
  queueCapabilities,
  workerCapabilities,
} from "./commands/executor.ts";
import { hasListeners } from "./control/ask.ts";
import type { BullmqOptions } from "./options.ts";

/** What the adapter can do at the moment, and the doing of it. */
export interface Commanding extends CommandRunner {
  readonly canControlWorkers: boolean;
  /** Looks whether processes with workers listen. */
  look(): Promise<void>;
}

export function createCommanding(parts: ExecutorParts): Commanding {
  const { redis } = parts.connection;
  const runner = createExecutor(parts);
  let canControlWorkers = false;
  return {
    ...runner,
    get canControlWorkers() {
      return canControlWorkers;
    },
    async look() {
      canControlWorkers = await hasListeners(redis, parts.settings.prefixes);
    },
  };
}

/** Workers can be controlled from where a process with workers is known to listen. */
export function capabilitiesOf(
  { commands }: Pick<BullmqOptions, "commands">,
  canControlWorkers: boolean,
): readonly string[] {
  if (commands === false) return [];
  return canControlWorkers ? [...queueCapabilities, ...workerCapabilities] : queueCapabilities;
}

export const notRunning: CommandOutcome = { status: "failed", error: "the adapter is not running: nothing was done" };
