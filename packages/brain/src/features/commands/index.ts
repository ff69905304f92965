import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { createClaim } from "./claim.ts";
import { createReports } from "./report.ts";
import { createWorkSignal } from "./work-signal.ts";

export type { ClaimedCommand } from "./claim.ts";
export { pruneCommands } from "./loops.ts";
export { commandSettings } from "./settings.ts";
export { commandMoves } from "./states.ts";

/** Commands as far as delivery goes: claiming, waiting for work, storing what agents report. */
export function createCommands(deps: { database: Database<Tables>; clock: Clock; log: Log; timeoutSeconds: number }) {
  return { claim: createClaim(deps), reports: createReports(deps), work: createWorkSignal(deps) };
}

export type Commands = ReturnType<typeof createCommands>;
