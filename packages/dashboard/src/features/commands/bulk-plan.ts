import type { TaskState } from "@svc/client";
import type { TaskAct } from "./TaskCommands.tsx";

interface Row {
  engine: string;
  task_id: string;
  state: TaskState;
}

export interface BulkPlan<Of extends Row> {
  /** What can be acted on, by engine. */
  engines: { engine: string; rows: Of[] }[];
  /** Those whose state speaks against it: only what has ended is retried, and only what has not is cancelled. */
  leftOut: number;
}

const ended: readonly TaskState[] = ["success", "failure", "revoked", "rejected"];

export function planOf<Of extends Row>(rows: readonly Of[], act: TaskAct): BulkPlan<Of> {
  const fits = ({ state }: Row) => state === "unknown" || ended.includes(state) === (act === "retry");
  const byEngine = new Map<string, Of[]>();
  for (const row of rows.filter(fits)) byEngine.set(row.engine, [...(byEngine.get(row.engine) ?? []), row]);
  const engines = [...byEngine].map(([engine, own]) => ({ engine, rows: own }));
  return { engines, leftOut: rows.length - engines.reduce((sum, { rows: own }) => sum + own.length, 0) };
}

/** A command is carried out at most once and has a minute: when its result is lost, nobody knows what became of any of its tasks. */
export const mostInOneCommand = 200;

export interface RetryOrder {
  engine: string;
  taskIds: string[];
  /** Of a bulk retry, which takes tasks of one state; null is one command. */
  bulkState: TaskState | null;
}

/** What an engine is asked for: one command for few tasks, for many bulk retries, which send them one by one and can be paused. */
export function retryOrders({ engine, rows }: { engine: string; rows: readonly Row[] }): RetryOrder[] {
  if (rows.length <= mostInOneCommand)
    return [{ engine, taskIds: rows.map(({ task_id }) => task_id), bulkState: null }];
  const byState = Map.groupBy(rows, ({ state }) => state);
  return [...byState].map(([bulkState, own]) => ({ engine, taskIds: own.map(({ task_id }) => task_id), bulkState }));
}
