import { storeGroupJob } from "../../features/ingest/thread.ts";
import { indexTaskIdsJob } from "../../features/tasks/thread.ts";
import { runWriter } from "../../platform/database/dialects/sqlite/writer-thread.ts";

/** Entry of the writer thread: the platform's writer with the jobs that features run inside it. */
runWriter({ "ingest.store-group": storeGroupJob, "tasks.index-task-ids": indexTaskIdsJob });
