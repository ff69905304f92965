import { runWriter } from "../platform/database/dialects/sqlite/writer-thread.ts";

/** Entry of the writer thread: the platform's writer with the jobs that features run inside it. */
runWriter({});
