import type { Pool, PoolClient } from "pg";
import type { Clock } from "../../../platform/clock.ts";
import { uniqueViolation } from "../../../platform/database/dialects/postgres/copy-in.ts";
import { copyEvents, insertEvents, type Partitions } from "../../events/index.ts";
import { appendDeltas, createDeltas } from "../../stats/index.ts";
import {
  changeTasks,
  copyTasks,
  type FoldedTask,
  hasNewTexts,
  joinLinks,
  lostRaceCode,
  mergeRows,
  type PresentTask,
  readTasks,
  type TaskLink,
  type TaskWrite,
} from "../../tasks/index.ts";
import { applyWorkerStates, decidingChanges, type WorkerStateChange } from "../../workers/index.ts";
import type { PreparedEvent } from "../prepare-batch.ts";
import type { ChangedTask, CommitEvents, CommittedGroup } from "./commit.ts";
import { type EventGroup, type GroupTask, groupEvents, rowOfIndexes } from "./event-group.ts";

export interface PostgresCommitDeps {
  readonly pool: Pool;
  readonly clock: Pick<Clock, "now">;
  readonly partitions: Partitions;
}

/** How often a transaction is tried before its frames are left to their senders. */
const maxAttempts = 8;

/**
 * How a group is stored. `copy` takes everything that looks new for new and fails when it is not. `merge` finds out which events are
 * new, and fails when a task is changed meanwhile. `lock` does the same and locks the tasks first, in the order that everyone keeps, so
 * that it waits instead of losing. That needs all of them to be there: whoever holds some and then inserts others takes them out of
 * order, and may wait for one that waits for him.
 */
type Manner = "copy" | "merge" | "lock";

/**
 * Stores groups on the server database in one transaction and two round trips each: what does not wait for an answer travels together.
 * Nearly all groups are new and meet nobody, so each is copied at first; one that fails is merged, then merged with locks, in turns.
 */
export function commitOnPostgres({ pool, clock, partitions }: PostgresCommitDeps): CommitEvents {
  return async (given) => {
    const group = groupEvents(given);
    let manner: Manner = "copy";
    for (let attempt = 1; ; attempt += 1) {
      await partitions.ensureFor(group.events.map(({ task }) => task.at));
      const client = await pool.connect();
      try {
        const committed = await storeGroup(client, group, { now: clock.now(), manner });
        client.release();
        return committed;
      } catch (error) {
        await undo(client);
        if (isPartitionMissing(error)) partitions.forget();
        else if (!isRaceLost(error)) throw error;
        manner = manner === "merge" ? "lock" : "merge";
        if (attempt === maxAttempts) throw asTransient(error);
      }
    }
  };
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const lostRaceCodes: readonly unknown[] = [lostRaceCode, uniqueViolation, "40P01"];
const isRaceLost = (error: unknown): boolean => lostRaceCodes.includes(codeOf(error));
/** A check violation that names no constraint: the row fits no partition. The text of it is in the server's language. */
const isPartitionMissing = (error: unknown): boolean =>
  codeOf(error) === "23514" && (error as { constraint?: string }).constraint === undefined;

/** Counts as a lost race: the rows went, or are not there yet, while others were faster. */
const rowsMissing = (): Error =>
  Object.assign(new Error("a task of the group is not there to be locked"), { code: lostRaceCode });

/** A group that keeps losing is a matter of time, not of content: serialisation failure. */
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

/** The results of statements that travel together. The first failure is the cause; those behind it only say that they came after it. */
async function together<Results extends readonly unknown[]>(
  statements: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results> {
  const settled = await Promise.allSettled(statements);
  const failed = settled.find((result): result is PromiseRejectedResult => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as Results;
}

interface StoreOptions {
  readonly now: Date;
  readonly manner: Manner;
}

async function storeGroup(
  client: PoolClient,
  group: EventGroup,
  { now, manner }: StoreOptions,
): Promise<CommittedGroup> {
  const isLocking = manner === "lock";
  const [, isNew, present] = await together([
    client.query("BEGIN"),
    manner === "copy" ? copyEvents(client, group.events) : insertEvents(client, group.events),
    readTasks(
      client,
      group.tasks.map(({ id }) => id),
      isLocking,
    ),
  ]);
  if (isLocking && present.size < group.tasks.length) throw rowsMissing();
  const changed = group.tasks.flatMap((task): TaskChange[] => {
    const row = newRow(group, task, isNew);
    if (row === null) return [];
    const before = present.get(task.id) ?? null;
    return [{ ...task, before, after: before === null ? row : mergeRows(before.row, row) }];
  });
  const writes = changed.map(
    ({ id, before, after }): TaskWrite => ({
      id,
      row: after,
      version: before?.version ?? 0,
      isTextNew: before === null || hasNewTexts(before.row, after),
    }),
  );
  const stored = group.events.filter((_, index) => isNew[index]);
  // Everyone takes rows in one order: those to insert before those to change.
  const news = writes.filter(({ version }) => version === 0);
  const changes = writes.filter(({ version }) => version > 0);
  const [, , , workers] = await together([
    copyTasks(client, news, now),
    changeTasks(client, changes, now),
    joinLinks(client, linksOf(stored)),
    applyWorkerStates(client, decidingChanges(stateChangesOf(stored)), now),
    appendDeltas(client, deltasOf(group, isNew, changed)),
    client.query("COMMIT"),
  ]);
  const tasks = changed.map(
    ({ id, before, after }): ChangedTask => ({
      projectId: after.project_id,
      id,
      name: after.name,
      stateBefore: before?.row.state ?? null,
      stateAfter: after.state,
    }),
  );
  return { stored, tasks, workers };
}

/** The row that the task's new events make; null when all of them are known. */
function newRow({ events }: EventGroup, task: GroupTask, isNew: readonly boolean[]): FoldedTask | null {
  const news = task.events.filter((index) => isNew[index]);
  if (news.length === task.events.length) return task.row;
  return news.length === 0 ? null : rowOfIndexes(events, news);
}

const linksOf = (stored: readonly PreparedEvent[]): TaskLink[] =>
  stored.flatMap(({ task: { projectId, engine, taskId, at }, retriedFrom }) =>
    retriedFrom === null ? [] : [{ projectId, engine, newId: taskId, oldId: retriedFrom, at }],
  );

function stateChangesOf(stored: readonly PreparedEvent[]): WorkerStateChange[] {
  const changes: WorkerStateChange[] = [];
  for (const { id, task, ownWorker } of stored) {
    const { projectId, engine, kind, at } = task;
    if (ownWorker === null || (kind !== "worker.online" && kind !== "worker.offline")) continue;
    const state = kind === "worker.online" ? "online" : "offline";
    changes.push({ projectId, engine, name: ownWorker, state, at, eventId: id });
  }
  return changes;
}

interface TaskChange extends GroupTask {
  readonly before: PresentTask | null;
  readonly after: FoldedTask;
}

function deltasOf({ events }: EventGroup, isNew: readonly boolean[], changed: readonly TaskChange[]) {
  const rows = new Array<FoldedTask | null>(events.length).fill(null);
  for (const task of changed) for (const index of task.events) rows[index] = task.after;
  const deltas = createDeltas();
  for (const [index, { task }] of events.entries()) {
    if (!isNew[index]) continue;
    deltas.countEvent({
      projectId: task.projectId,
      engine: task.engine,
      kind: task.kind,
      at: task.at,
      name: task.name ?? rows[index]?.name ?? "",
      queue: task.queue ?? rows[index]?.queue ?? "",
      worker: task.worker ?? "",
      runMs: task.runMs,
      waitMs: task.waitMs,
    });
  }
  for (const { before, after } of changed) {
    if (before?.row.state === after.state) continue;
    if (before !== null) deltas.countState(after.project_id, before.row.state, -1);
    deltas.countState(after.project_id, after.state, 1);
  }
  return deltas.rows();
}
