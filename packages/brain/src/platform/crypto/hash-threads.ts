import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { HashReply, HashTask } from "./hash-thread.ts";

const entry = createRequire(import.meta.url).resolve("@svc/brain/hash-thread");
/** The memory of a hash is outside of the heap. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 };
const maxThreads = 2;

interface Thread {
  readonly worker: Worker;
  readonly pending: Map<number, { resolve(value: never): void; reject(error: Error): void }>;
}

/** Threads of the process, started when first needed; an idle one does not keep the process alive. */
const threads = new Set<Thread>();
let lastId = 0;

/**
 * Gives a new hash, or whether a password fits one, from a thread of low priority.
 *
 * @throws Error when the thread ends; the next task starts another one.
 */
export function inHashThread(task: Extract<HashTask, { kind: "hash" }>): Promise<string>;
export function inHashThread(task: Extract<HashTask, { kind: "verify" }>): Promise<boolean>;
export function inHashThread(task: HashTask): Promise<string | boolean> {
  const { worker, pending } = leastBusy();
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    // First, because it throws for values that cannot be cloned.
    worker.postMessage({ id, task });
    pending.set(id, { resolve, reject });
    worker.ref();
  });
}

function leastBusy(): Thread {
  const [first = startThread()] = [...threads].sort((one, other) => one.pending.size - other.pending.size);
  return first.pending.size > 0 && threads.size < maxThreads ? startThread() : first;
}

function startThread(): Thread {
  const worker = new Worker(entry, { resourceLimits });
  const thread: Thread = { worker, pending: new Map() };
  threads.add(thread);
  worker.on("message", ({ id, value, error }: HashReply) => {
    const asked = thread.pending.get(id);
    thread.pending.delete(id);
    if (thread.pending.size === 0) worker.unref();
    if (error === undefined) asked?.resolve(value as never);
    else asked?.reject(new Error(error));
  });
  const fail = (error: Error) => {
    threads.delete(thread);
    for (const { reject } of thread.pending.values()) reject(error);
    thread.pending.clear();
  };
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the hashing thread has ended")));
  return thread;
}
