import { Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  JsonObject,
  NextCursor,
  Nullable,
  OneOf,
  ProjectId,
  ProjectParams,
  Uuid,
} from "../../platform/http/schemas.ts";

export const workerStates = ["online", "offline", "draining", "unknown"] as const;

const properties = {
  id: Described(Uuid, "id of the row"),
  project_id: ProjectId,
  engine: Type.String({ description: "name of the engine" }),
  name: Type.String({ description: "name that the engine gives it; unique in project and engine" }),
  hostname: Nullable(Type.String(), "machine that it runs on; null when not reported"),
  pid: Nullable(Type.Integer(), "id of its process on that machine; null when not reported"),
  concurrency: Nullable(Type.Integer(), "tasks that it can run at once; null when not reported"),
  queues: Type.Array(Type.String(), { description: "queues that it consumes, as last reported" }),
  state: OneOf(workerStates, { description: "online or offline; the other values are reserved" }),
  state_reported_at: Nullable(
    Type.Unsafe<Date | string>({
      ...Instant,
      description: "when the worker last reported that it is online or offline; null when it never did",
    }),
  ),
  last_heartbeat: Nullable(Instant, "time of the newest report or event from it; null before the first"),
  load_average: Nullable(Type.Number(), "load of its machine; null when not reported"),
  memory_bytes: Nullable(Type.Integer(), "memory that it uses; null when not reported"),
  active_tasks: Type.Integer({ description: "tasks that it was running at its last report" }),
  processed: Type.Integer({
    description: "tasks that finished in the last 24 full UTC hours and the current one",
  }),
  failed: Type.Integer({ description: "failed tasks in the period of `processed`" }),
  succeeded: Type.Integer({ description: "succeeded tasks in the period of `processed`" }),
  retried: Type.Integer({ description: "retries in the period of `processed`" }),
  created_at: Described(Instant, "when the service first saw it"),
};

export const WorkerPublic = Type.Object(properties, { title: "Worker", description: "A worker of an engine." });
export const WorkerDetail = Type.Object(
  {
    ...properties,
    metadata: Described(
      JsonObject,
      "`stats`, `active`, `active_queues`, `registered` and `conf` as its engine reports them, redacted",
    ),
  },
  { title: "WorkerDetail", description: "A worker with what its engine reported about it." },
);
export const WorkerPage = Type.Object(
  { items: Type.Array(WorkerPublic), next_cursor: NextCursor },
  { title: "WorkerPage", description: "One page of workers." },
);
export const WorkerParams = Type.Object({ ...ProjectParams.properties, worker_id: IdOf("worker") });
