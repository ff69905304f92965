import { Type } from "typebox";
import { IdOf, Instant, JsonObject, Nullable, OneOf, ProjectParams, Uuid } from "../../platform/http/schemas.ts";

export const workerStates = ["online", "offline", "draining", "unknown"] as const;

const properties = {
  id: Uuid,
  project_id: Uuid,
  engine: Type.String(),
  name: Type.String(),
  hostname: Nullable(Type.String()),
  pid: Nullable(Type.Integer()),
  concurrency: Nullable(Type.Integer()),
  queues: Type.Array(Type.String()),
  state: OneOf(workerStates),
  state_reported_at: Nullable(
    Type.Unsafe<Date | string>({
      ...Instant,
      description: "when the worker itself last said that it is online or offline; null when it never did",
    }),
  ),
  last_heartbeat: Nullable(Instant),
  load_average: Nullable(Type.Number()),
  memory_bytes: Nullable(Type.Integer()),
  active_tasks: Type.Integer(),
  processed: Type.Integer({ description: "tasks ended in the last 24 h, by whole UTC hours and the running one" }),
  failed: Type.Integer(),
  succeeded: Type.Integer(),
  retried: Type.Integer(),
  created_at: Instant,
};

export const WorkerPublic = Type.Object(properties, { title: "Worker", description: "A worker of an engine." });
export const WorkerDetail = Type.Object(
  { ...properties, metadata: JsonObject },
  { title: "WorkerDetail", description: "A worker with what its engine reported about it." },
);
export const WorkerPage = Type.Object(
  { items: Type.Array(WorkerPublic), next_cursor: Nullable(Type.String()) },
  { title: "WorkerPage", description: "One page of workers." },
);
export const WorkerParams = Type.Object({ ...ProjectParams.properties, worker_id: IdOf("worker") });
