import { carriedFields } from "@svc/protocol";
import { openEventStore } from "../../features/events/sqlite-store.ts";
import { ingestJob } from "../../features/ingest/commit/writer-job.ts";
import { fingerprintOf } from "../../features/issues/fingerprint.ts";
import { openDeltaStore } from "../../features/stats/counters/delta-store.ts";
import { createDeltas } from "../../features/stats/counters/deltas.ts";
import { taskEventOf } from "../../features/tasks/projection/event-row.ts";
import { rowOfEvents } from "../../features/tasks/projection/fold.ts";
import { indexTaskIdsJob, openTermStore } from "../../features/tasks/projection/search-sqlite-store.ts";
import {
  openLinkStore,
  openTaskStore,
  storedName,
  storedQueue,
  storedState,
  storedTask,
  storedWorker,
} from "../../features/tasks/projection/sqlite-store.ts";
import { decidingChanges } from "../../features/workers/state-change.ts";
import { openWorkerStateStore } from "../../features/workers/state-store.ts";
import { runWriter } from "../../platform/database/dialects/sqlite/writer-thread.ts";

/** Entry of the writer thread: the platform's writer with the jobs that features run inside it. */
runWriter({
  "ingest.store-group": ingestJob({
    openEvents: openEventStore,
    openTasks: openTaskStore,
    openLinks: openLinkStore,
    openTerms: openTermStore,
    openDeltas: openDeltaStore,
    openWorkerStates: openWorkerStateStore,
    createDeltas,
    decidingChanges,
    taskEventOf(head, payload, withheld) {
      const data = JSON.parse(payload) as Record<string, unknown>;
      const fields = carriedFields(head.kind, data, head.taskId);
      for (const member of withheld) delete fields[member];
      return taskEventOf(head, fields, data, fingerprintOf);
    },
    rowOfEvents,
    storedTask,
    fields: { name: storedName, queue: storedQueue, worker: storedWorker, state: storedState },
  }),
  "tasks.index-task-ids": indexTaskIdsJob,
});
