import type { DatabaseSync } from "node:sqlite";
import { openEventStore } from "../../events/thread.ts";
import { openScheduleMirror } from "../../native-schedules/thread.ts";
import { openDeltaStore } from "../../stats/thread.ts";
import { type FoldedTask, openLinkStore, openTaskStore, type StoredTask, storedTask } from "../../tasks/thread.ts";
import { openWorkerStateStore } from "../../workers/thread.ts";
import { answerOf, type GroupAnswer, type GroupMessage, groupOf } from "./message.ts";
import { newRows, planBatch } from "./plan-batch.ts";

/** Inside the writer thread: stores one group in the transaction of the call. */
export function storeGroupJob(db: DatabaseSync): (message: GroupMessage) => GroupAnswer {
  const events = openEventStore(db);
  const tasks = openTaskStore(db);
  const links = openLinkStore(db);
  const deltas = openDeltaStore(db);
  const workerStates = openWorkerStateStore(db);
  const mirror = openScheduleMirror(db);

  return (message) => {
    const group = groupOf(message);
    const nowMicros = message.nowMs * 1000;
    tasks.begin();
    const isNew = events.insert(group.events);
    const freshRows = newRows(group, isNew);
    const insertOrFind = (row: FoldedTask, index: number): FoldedTask | null => {
      const isWhole = row === group.tasks[index]?.row;
      return tasks.insertOrFind(isWhole ? (message.tasks[index] as StoredTask) : storedTask(row), row, nowMicros);
    };
    const present = freshRows.map((row, index) => (row === null ? null : insertOrFind(row, index)));
    const plan = planBatch(group, { isNew, freshRows, present });
    tasks.write(plan.rows, nowMicros);
    links.join(plan.links);
    const workers = workerStates.apply(plan.workerStates, nowMicros);
    const reports = [...message.schedules].flatMap(([index, report]) => (isNew[index] ? [report] : []));
    const schedules = reports.length === 0 ? [] : mirror.apply(reports, message.nowMs);
    deltas.append(plan.deltas);
    return answerOf(group, plan, { isNew, workers, schedules });
  };
}
