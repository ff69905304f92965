import type { Pool, PoolClient } from "pg";
import type { Clock } from "../../../platform/clock.ts";
import { uniqueViolation } from "../../../platform/database/dialects/postgres/copy-in.ts";
import { isPartitionMissing } from "../../../platform/database/dialects/postgres/partitions/daily-partitions.ts";
import type { Partitions } from "../../../platform/database/dialects/postgres/partitions/partition-keeper.ts";
import { copyEvents, insertEvents } from "../../events/index.ts";
import { mirrorSchedules } from "../../native-schedules/index.ts";
import type { ScheduleReport } from "../../native-schedules/thread.ts";
import { appendDeltas } from "../../stats/index.ts";
import { changeTasks, copyTasks, joinLinks, lostRaceCode, readTasks } from "../../tasks/index.ts";
import type { FoldedTask } from "../../tasks/thread.ts";
import { applyWorkerStates } from "../../workers/index.ts";
import type { PreparedEvent } from "../prepare-batch.ts";
import type { ChangedTask, CommitEvents, CommittedGroup } from "./commit.ts";
import { type EventGroup, groupEvents } from "./event-group.ts";
import { newRows, planBatch } from "./plan-batch.ts";

export interface PostgresCommitDeps {
  readonly pool: Pool;
  readonly clock: Pick<Clock, "now">;
  readonly partitions: Partitions;
}

/** How often a transaction is tried before its frames are left to be sent again. */
const maxAttempts = 8;

/**
 * How a group is stored. `copy` assumes that everything that may be new is new, and fails when it is not. `merge` finds out which events are
 * new, and fails when a task is changed concurrently. `lock` does the same but locks the tasks first, in the common lock order, so that it
 * waits instead of failing. It needs all tasks to exist: a transaction that locks some and then inserts others locks out of order, which can
 * deadlock.
 */
type StoreMode = "copy" | "merge" | "lock";

/**
 * Stores groups on PostgreSQL in one transaction and two round trips each: statements that do not need an answer are sent together. Nearly
 * all groups are new and without conflicts, so each is copied first; one that fails is merged, then merged with locks, alternately.
 */
export function commitOnPostgres({ pool, clock, partitions }: PostgresCommitDeps): CommitEvents {
  return async (given) => {
    const group = groupEvents(given);
    let mode: StoreMode = "copy";
    for (let attempt = 1; ; attempt += 1) {
      await partitions.ensureFor(group.events.map(({ task }) => task.at));
      const client = await pool.connect();
      try {
        const committed = await storeGroup(client, group, { now: clock.now(), mode });
        client.release();
        return committed;
      } catch (error) {
        await undo(client);
        if (isPartitionMissing(error)) partitions.forget();
        else if (!isRaceLost(error)) throw error;
        mode = mode === "merge" ? "lock" : "merge";
        if (attempt === maxAttempts) throw asTransient(error);
      }
    }
  };
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const lostRaceCodes: readonly unknown[] = [lostRaceCode, uniqueViolation, "40P01"];
const isRaceLost = (error: unknown): boolean => lostRaceCodes.includes(codeOf(error));
/** Counts as a lost race: the rows were deleted, or are not visible yet, because other transactions were faster. */
const rowsMissing = (): Error =>
  Object.assign(new Error("a task of the group is not there to be locked"), { code: lostRaceCode });

/** A group that keeps losing races fails because of load, not content: serialisation failure. */
const asTransient = (error: unknown): Error =>
  Object.assign(new Error("the tasks of the batch are changed by others all the time", { cause: error }), {
    code: "40001",
  });

async function undo(client: PoolClient): Promise<void> {
  const isUsable = await client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
  client.release(!isUsable);
}

/** The results of statements that are sent together. The first failure is the cause; later ones only follow from it. */
async function together<Results extends readonly unknown[]>(
  statements: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> | null }],
): Promise<Results> {
  const settled = await Promise.allSettled(statements);
  const failed = settled.find((result): result is PromiseRejectedResult => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as Results;
}

interface StoreOptions {
  readonly now: Date;
  readonly mode: StoreMode;
}

type Change = Parameters<typeof changeTasks>[1][number];

async function storeGroup(
  client: PoolClient,
  group: EventGroup<PreparedEvent>,
  { now, mode }: StoreOptions,
): Promise<CommittedGroup> {
  const isLocking = mode === "lock";
  const [, isNew, found] = await together([
    client.query("BEGIN"),
    mode === "copy" ? copyEvents(client, group.events) : insertEvents(client, group.events),
    readTasks(
      client,
      group.tasks.map(({ row }) => row.id),
      isLocking,
    ),
  ]);
  if (isLocking && found.size < group.tasks.length) throw rowsMissing();
  const present = group.tasks.map(({ row }) => found.get(row.id) ?? null);
  const plan = planBatch(group, { isNew, freshRows: newRows(group, isNew), present });
  const fresh: FoldedTask[] = [];
  const changes: Change[] = [];
  for (const change of plan.rows) {
    if (change.before === null) fresh.push(change.after);
    else changes.push(change as Change);
  }
  const reports: ScheduleReport[] = [];
  for (let index = 0; index < group.events.length; index += 1) {
    const { schedule } = group.events[index] as PreparedEvent;
    if (schedule !== null && isNew[index]) reports.push(schedule);
  }
  const commit = () => client.query("COMMIT");
  const [, , , workers] = await together([
    // Every transaction locks rows in one order: inserts before updates.
    copyTasks(client, fresh, now),
    changeTasks(client, changes, now),
    joinLinks(client, plan.links),
    applyWorkerStates(client, plan.workerStates, now),
    appendDeltas(client, plan.deltas),
    reports.length === 0 ? commit() : null,
  ]);
  const schedules = await mirrorSchedules(client, reports, now);
  if (reports.length > 0) await commit();
  const tasks = plan.rows.map(
    ({ before, after }): ChangedTask => ({
      projectId: after.project_id,
      id: after.id,
      name: after.name,
      stateBefore: before?.state ?? null,
      stateAfter: after.state,
    }),
  );
  return { stored: group.events.filter((_, index) => isNew[index]), tasks, workers, schedules, touches: plan.touches };
}
