import { Worker } from "node:worker_threads";
import { minutes } from "../../../durations.ts";
import { SqliteError } from "../../errors.ts";
import { restoreError, type ThreadReply } from "./messages.ts";
import { createThreadLink } from "./thread-link.ts";

/**
 * A thread needs little, short-lived memory, but V8 lets a heap grow to its limit before a full collection. The bounds keep the process
 * small; a group of ingest and a page of an export need far less.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

/** Minimum time between two starts of a thread that keeps failing. */
const restartEveryMs = 1000;
/** Readiness waits no longer than this for an answer. */
const answerMs = 1500;
/** A thread that works on one request for longer than this counts as stuck. */
const stuckMs = minutes(1);
/** In one turn of the event loop this thread blocks for answers no longer than this. */
const maxBlockedMs = 4;

interface Question {
  readonly askedMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Asked<Request> = Request extends unknown ? Omit<Request, "id"> : never;

/**
 * Sends requests to a thread and matches its replies by number. When the thread ends, all waiting requests fail; the next request starts
 * another one.
 */
export function createThreadClient<Request extends { id: number }>(
  entry: string,
  data: object,
  maxBlocked = maxBlockedMs,
) {
  const pending = new Map<number, Question>();
  let lastId = 0;
  let isClosed = false;
  let startedMs = 0;
  let ended: Error | null = null;
  /** False after a restart until the new thread has answered: until then, slow may mean that it keeps failing. */
  let isTrusted = true;
  let leftMs = maxBlocked;
  let { worker, link } = start();

  function onReply({ id, value, error }: ThreadReply): void {
    isTrusted = true;
    const question = pending.get(id);
    pending.delete(id);
    if (error !== undefined) question?.reject(restoreError(error));
    else question?.resolve(value);
  }

  function start() {
    startedMs = performance.now();
    ended = null;
    const own = createThreadLink(onReply);
    const thread = new Worker(entry, {
      workerData: { ...data, link: own.end },
      transferList: own.transferList,
      resourceLimits,
    });
    function fail(error: Error): void {
      // Its last event may come after its successor has begun.
      if (thread !== worker || ended !== null) return;
      ended = error;
      own.close();
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    }
    // SQLITE_CANTOPEN (14): a thread that could not open its file; the code makes it transient for senders.
    thread.on("error", (error) => fail(new SqliteError(error.message, 14)));
    thread.on("exit", () => fail(new SqliteError("the database thread has ended", 14)));
    return { worker: thread, link: own };
  }

  function ask(request: Asked<Request>): Promise<unknown> {
    if (ended !== null) {
      if (isClosed || performance.now() - startedMs < restartEveryMs) return Promise.reject(ended);
      isTrusted = false;
      ({ worker, link } = start());
    }
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      // First, because it throws for values that cannot be cloned.
      link.send({ ...request, id });
      pending.set(id, { askedMs: performance.now(), resolve, reject });
    });
  }

  /**
   * As `ask`, for requests that take much less time than a turn of a busy event loop: blocks until the answer arrives, or until the blocking
   * time of this turn is used up.
   */
  function askBlocking(request: Asked<Request>): Promise<unknown> {
    const answer = ask(request);
    if (leftMs === 0) return answer;
    const id = lastId;
    if (leftMs === maxBlocked) setImmediate(() => (leftMs = maxBlocked));
    const startedMs = performance.now();
    link.wait(() => !pending.has(id), leftMs);
    leftMs = Math.max(0, leftMs - (performance.now() - startedMs));
    return answer;
  }

  return {
    ask,
    askBlocking,
    /** Whether a request is waiting for its answer. */
    isAsked: () => pending.size > 0,
    /** Asks for a sign of life. A thread that is busy with a long request counts as alive for a minute; a dead one is restarted. */
    async answers(request: Asked<Request>): Promise<void> {
      const busy = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        const [oldest] = pending.values();
        const isStuck = oldest !== undefined && performance.now() - oldest.askedMs > stuckMs;
        if (isTrusted && !isStuck) busy.resolve();
        else busy.reject(new SqliteError("the database thread does not answer", 5));
      }, answerMs);
      try {
        await Promise.race([ask(request), busy.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
    /** Sends a last request, unless the thread has already ended, and ends it. */
    async end(request: Asked<Request>): Promise<void> {
      isClosed = true;
      await ask(request).catch(() => {});
      await worker.terminate();
    },
  };
}
