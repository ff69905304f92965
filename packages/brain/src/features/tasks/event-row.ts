import { type CarriedFields, isTaskKind } from "@svc/protocol";
import type { TaskEvent } from "./fold.ts";
import { eventKey } from "./fold-keys.ts";

/** Where and when an event belongs; `at` is occurred_at in milliseconds. */
export interface EventHead {
  /** Lower case. */
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly engine: string;
  readonly taskId: string;
  readonly kind: string;
  readonly at: number;
}

type Fingerprint = (exception: string | null, traceback: string | null) => string | null;

/** A stored task event as the fold reads it; `data` is its redacted payload and `fields` what that carries. */
export function taskEventOf(
  { id, projectId, agentId, engine, taskId, kind, at }: EventHead,
  fields: CarriedFields,
  data: Readonly<Record<string, unknown>>,
  fingerprintOf: Fingerprint,
): TaskEvent {
  if (!isTaskKind(kind)) throw new TypeError("the event tells nothing of a task");
  return {
    key: eventKey({ attempt: fields.attempt ?? 0, kind, at, id }),
    project_id: projectId,
    agent_id: agentId,
    engine,
    task_id: taskId,
    kind,
    at,
    fields,
    fingerprint: kind === "task.failed" ? fingerprintOf(textOrNull(data.exception), textOrNull(data.traceback)) : null,
  };
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
