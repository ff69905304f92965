import type { TaskState } from "@svc/client";
import { cancelRule, retryRule } from "./task-rules.ts";

const rules = { retry: retryRule, cancel: cancelRule };
export type TaskAct = keyof typeof rules;

interface Row {
  engine: string;
  task_id: string;
  state: TaskState;
}

export interface BulkPlan<Of extends Row> {
  /** The tasks that the action applies to, by engine. */
  engines: { engine: string; rows: Of[] }[];
  /** The number of tasks in the wrong state: only finished ones are retried, only others are cancelled. */
  excluded: number;
}

export function planOf<Of extends Row>(rows: readonly Of[], act: TaskAct): BulkPlan<Of> {
  const fits = (row: Row) => rules[act].guard(row) === null;
  const byEngine = new Map<string, Of[]>();
  for (const row of rows.filter(fits)) byEngine.set(row.engine, [...(byEngine.get(row.engine) ?? []), row]);
  const engines = [...byEngine].map(([engine, own]) => ({ engine, rows: own }));
  return { engines, excluded: rows.length - engines.reduce((sum, { rows: own }) => sum + own.length, 0) };
}

/** A command runs at most once and has one minute. If its result is lost, the outcome of all its tasks is unknown. */
export const maximumPerCommand = 200;

/** One request. */
export interface BulkCommand<Of extends Row> {
  engine: string;
  agentId: string;
  rows: readonly Of[];
  /** The state of the tasks of a bulk retry; null for a single command. */
  bulkState: TaskState | null;
}

/**
 * The requests for an engine: one cancel per task; for a retry, one command for few tasks or bulk retries for many, which send the tasks
 * one by one and can be paused.
 */
export function commandsOf<Of extends Row>(
  { engine, rows, agentId }: { engine: string; rows: readonly Of[]; agentId: string },
  act: TaskAct,
): BulkCommand<Of>[] {
  const command = (own: readonly Of[], bulkState: TaskState | null) => ({ engine, agentId, rows: own, bulkState });
  if (act === "cancel") return rows.map((row) => command([row], null));
  if (rows.length <= maximumPerCommand) return [command(rows, null)];
  return [...Map.groupBy(rows, ({ state }) => state)].map(([bulkState, own]) => command(own, bulkState));
}
