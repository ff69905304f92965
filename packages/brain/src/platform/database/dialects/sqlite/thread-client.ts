import { Worker } from "node:worker_threads";
import { SqliteError } from "../../errors.ts";
import { restoreError, type ThreadReply } from "./messages.ts";

/**
 * What a thread needs is small and short-lived, but V8 lets a heap grow as far as it may before it collects in earnest. The bounds keep
 * the process small; a group of ingest and a page of an export stay far below them.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

/** Asks a thread and matches its replies by number. A thread that ends fails everything that still waits. */
export function createThreadClient<Request extends { id: number }>(entry: string, data: unknown) {
  const worker = new Worker(entry, { workerData: data, resourceLimits });
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let ended: Error | null = null;

  function fail(error: Error): void {
    ended = error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  worker.on("message", ({ id, value, error }: ThreadReply) => {
    const question = pending.get(id);
    pending.delete(id);
    if (error !== undefined) question?.reject(restoreError(error));
    else question?.resolve(value);
  });
  // SQLITE_CANTOPEN (14): a thread that could not open its file; the code makes it transient for senders.
  worker.on("error", (error) => fail(new SqliteError(error.message, 14)));
  worker.on("exit", () => fail(ended ?? new SqliteError("the database thread has ended", 14)));

  return {
    ask(request: Request extends unknown ? Omit<Request, "id"> : never): Promise<unknown> {
      if (ended !== null) return Promise.reject(ended);
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        worker.postMessage({ ...request, id });
      });
    },
    async end(): Promise<void> {
      await worker.terminate();
    },
  };
}
