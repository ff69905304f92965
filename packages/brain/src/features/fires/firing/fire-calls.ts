import { createGroupedWork } from "../../../platform/coalescing/grouped-work.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { isPartitionMissing } from "../../../platform/database/dialects/postgres/partitions/daily-partitions.ts";
import type { Partitions } from "../../../platform/database/dialects/postgres/partitions/partition-keeper.ts";
import { isTransient, TooManyTransactions } from "../../../platform/database/errors.ts";
import type { CommandRow, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import type { Commands } from "../../commands/index.ts";
import type { ChangeDeps } from "../../schedules/index.ts";
import {
  type AdvanceRequest,
  type FireAnswer,
  type FireCalls,
  type FireRequest,
  InvalidFireRequest,
} from "../requests.ts";
import { advanceGroup } from "./advance-group.ts";
import { type FireGroupDeps, fireGroup } from "./fire-group.ts";
import { maxFires } from "./fire-store.ts";

export interface FireCallsDeps extends FireGroupDeps, Pick<ChangeDeps, "publish"> {
  readonly commands: Pick<Commands, "issueIn" | "offer">;
  /** Like `publish`, for schedules whose definition and control have not changed: schedulers need not know. */
  readonly publishMoved: ChangeDeps["publish"];
  /** The daily partitions of schedule_fires; null on the embedded database, which has none. */
  readonly partitions: Pick<Partitions, "ensureFor" | "forget"> | null;
}

/** Two groups, so that one is prepared while the other is committed. All end with the lock on the audit chain, so more gain nothing. */
const lanes = 2;
/** A scheduler waits 10 s at most, so longer queues would not help it. */
const maxWaiting = 20_000;

const grouping = {
  isOfAll: isTransient,
  lanes,
  maxGroup: maxFires,
  maxWaiting,
  refusal: () => new TooManyTransactions(),
};

/** Fires and cursor moves of schedulers: concurrent requests share a transaction. */
export function createFireCalls(deps: FireCallsDeps): Pick<FireCalls, "fire" | "advance"> {
  const fireGrouped = createGroupedWork({
    ...grouping,
    async run(requests: readonly FireRequest[]) {
      const { outcomes, commands, moved, ended } = await writeFires(deps, (tx) => fireGroup(tx, deps, requests));
      deps.commands.offer(...commands);
      publishEach(moved, deps.publishMoved);
      publishEach(ended, deps.publish);
      return outcomes;
    },
  });
  const advanceGrouped = createGroupedWork({
    ...grouping,
    async run(requests: readonly AdvanceRequest[]) {
      const { outcomes, moved } = await deps.database.write((tx) => advanceGroup(tx, deps, requests), { alone: true });
      publishEach(moved, deps.publishMoved);
      return outcomes;
    },
  });

  return {
    async fire(request) {
      const outcome = await fireGrouped(request).catch((error: unknown) => {
        if (isTransient(error)) return retryLater;
        throw error;
      });
      if (outcome instanceof InvalidFireRequest) throw outcome;
      return outcome;
    },
    async advance(request) {
      const outcome = await advanceGrouped(request);
      if (outcome instanceof InvalidFireRequest) throw outcome;
      return outcome;
    },
  };
}

function publishEach(changed: readonly ScheduleRow[], publish: ChangeDeps["publish"]): void {
  for (const [projectId, schedules] of Map.groupBy(changed, ({ project_id }) => project_id))
    publish({ projectId, topic: "schedule.changed", ids: schedules.map(({ id }) => id) });
}

const retryLater: FireAnswer = {
  disposition: "RETRY",
  commandId: null,
  isBuffered: false,
  lastRunAt: null,
  nextRunAt: null,
  totalRuns: 0,
  live: null,
  errorCode: "unready",
  errorMessage: "the database is temporarily unavailable",
};

/** A transaction that stores fires. A fire needs the partition of its day. */
export async function writeFires<Result extends { readonly commands: readonly CommandRow[] }>(
  { database, clock, partitions }: Pick<FireCallsDeps, "database" | "clock" | "partitions">,
  work: (tx: Tx<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    // The transaction may begin on the next day.
    const now = clock.now().getTime();
    await partitions?.ensureFor([now, now + partitionLeadMs]);
    try {
      return await database.write(work, { alone: true });
    } catch (error) {
      if (partitions === null || !isPartitionMissing(error) || attempt === 2) throw error;
      partitions.forget();
    }
  }
}

const partitionLeadMs = 60_000;
