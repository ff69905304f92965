import { type CarriedFields, isTaskKind } from "@svc/protocol";
import { type FoldedTask, rowOfEvent } from "./fold.ts";

/** Where and when an event belongs; `at` is occurred_at in milliseconds. */
export interface EventHead {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly engine: string;
  readonly taskId: string;
  readonly kind: string;
  readonly at: number;
}

type Fingerprint = (exception: string | null, traceback: string | null) => string | null;

/** The row that one stored task event makes; `data` is its redacted payload and `fields` what that carries. */
export function rowOfData(
  { id, projectId, agentId, engine, taskId, kind, at }: EventHead,
  fields: CarriedFields,
  data: Readonly<Record<string, unknown>>,
  fingerprintOf: Fingerprint,
): FoldedTask {
  if (!isTaskKind(kind)) throw new TypeError("the event tells nothing of a task");
  const isFailed = kind === "task.failed";
  const fingerprint = isFailed ? fingerprintOf(textOrNull(data.exception), textOrNull(data.traceback)) : null;
  return rowOfEvent({
    id,
    project_id: projectId,
    agent_id: agentId,
    engine,
    task_id: taskId,
    kind,
    at,
    fields,
    fingerprint,
  });
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
