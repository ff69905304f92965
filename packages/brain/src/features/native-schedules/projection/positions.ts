import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { ScheduleReport } from "./report.ts";
import { sequencedAmong } from "./streams-reads.ts";

/** A batch has schedule events without a position for an owner that sends positions. */
export class SchedulerUpgradeRequired extends Error {
  constructor(owner: string) {
    super(`schedule events of ${owner} must have a stream position: update its scheduler adapter`);
  }
}

/** Owners known to send positions; above this number they are read again. */
const maxOwners = 10_000;

/** Refuses events without position of owners that send positions: they come from an adapter that is too old. */
export function createPositionCheck({ read }: Pick<BrainDatabase, "read">) {
  /** An owner that has sent a position never goes back. */
  const sequenced = new Set<string>();

  async function isSequenced(projectId: string, owner: string): Promise<boolean> {
    const key = `${projectId} ${owner}`;
    if (sequenced.has(key)) return true;
    if ((await sequencedAmong(read, projectId, [owner])).length === 0) return false;
    if (sequenced.size >= maxOwners) sequenced.clear();
    sequenced.add(key);
    return true;
  }

  /** @throws SchedulerUpgradeRequired for the first owner that must send positions and did not */
  return async function requirePositions(reports: readonly ScheduleReport[]): Promise<void> {
    const owners = new Map(
      reports.flatMap((each) => (each.isSequenced ? [] : [[each.owner, each.projectId] as const])),
    );
    for (const [owner, projectId] of owners) {
      if (await isSequenced(projectId, owner)) throw new SchedulerUpgradeRequired(owner);
    }
  };
}

export type RequirePositions = ReturnType<typeof createPositionCheck>;
