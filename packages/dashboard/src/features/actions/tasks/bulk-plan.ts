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

/** One request. */
export interface BulkOrder<Of extends Row> {
  engine: string;
  agentId: string;
  rows: readonly Of[];
  /** Of a bulk retry, which takes tasks of one state; null is one command. */
  bulkState: TaskState | null;
}

/**
 * What an agent is asked for: a cancel for each task; for a retry one command of few tasks, for many bulk retries, which send them one by one
 * and can be paused.
 */
export function ordersOf<Of extends Row>(
  { engine, rows, agentId }: { engine: string; rows: readonly Of[]; agentId: string },
  act: TaskAct,
): BulkOrder<Of>[] {
  const order = (own: readonly Of[], bulkState: TaskState | null) => ({ engine, agentId, rows: own, bulkState });
  if (act === "cancel") return rows.map((row) => order([row], null));
  if (rows.length <= mostInOneCommand) return [order(rows, null)];
  return [...Map.groupBy(rows, ({ state }) => state)].map(([bulkState, own]) => order(own, bulkState));
}
