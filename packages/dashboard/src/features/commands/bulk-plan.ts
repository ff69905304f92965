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
