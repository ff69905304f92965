import type { CommandOutcome } from "@svc/agent";
import type { Redis } from "ioredis";
import { hasListeners } from "../control/ask.ts";
import type { Settings } from "../options.ts";
import {
  type CommandRunner,
  createExecutor,
  type ExecutorParts,
  queueCapabilities,
  readingCapabilities,
  workerCapabilities,
} from "./executor.ts";

/** What the adapter can do at the moment, and the doing of it. */
export interface Commanding extends CommandRunner {
  capabilities(): readonly string[];
  /** Looks what the Redis user may do, and whether processes with workers listen. */
  look(): Promise<void>;
}

export interface CommandingParts extends ExecutorParts {
  /** Whether this process has workers of its own. */
  hasWorkers(): boolean;
}

export function createCommanding({ hasWorkers, ...parts }: CommandingParts): Commanding {
  const { redis } = parts.connection;
  const runner = createExecutor(parts);
  let hasRights = true;
  let hasHelpers = false;
  return {
    ...runner,
    capabilities() {
      if (!hasRights) return readingCapabilities;
      return hasHelpers || hasWorkers() ? [...queueCapabilities, ...workerCapabilities] : queueCapabilities;
    },
    async look() {
      hasHelpers = await hasListeners(redis, parts.settings.prefixes, hasHelpers);
      hasRights = await mayRunScripts(redis, hasRights);
    },
  };
}

/** Before Redis has told what its user may do, everything is offered. */
export function capabilitiesOf(demand: () => Settings, commanding: Commanding | undefined): readonly string[] {
  try {
    if (!demand().commands) return [];
  } catch {
    return []; // an option out of its bounds: the adapter does not start
  }
  return commanding?.capabilities() ?? queueCapabilities;
}

/** BullMQ changes jobs by scripts alone: a Redis user that may not run them can only watch. */
async function mayRunScripts(redis: Redis, before: boolean): Promise<boolean> {
  try {
    await redis.evalsha("0".repeat(40), 0);
    return true;
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : "";
    if (reason.startsWith("NOPERM")) return false;
    return reason.startsWith("NOSCRIPT") || before;
  }
}

export const notRunning: CommandOutcome = { status: "failed", error: "the adapter is not running: nothing was done" };
