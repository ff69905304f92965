/** What one task's later events need from its earlier ones. Payloads are never kept. */
export interface JobFacts {
  /** Source and id of the job, which make its key in Redis. */
  readonly source: string;
  readonly jobId: string;
  name: string | undefined;
  /** Times the job became active, counted from the stream; the attempt of the present run is one less. */
  starts: number;
  /** Attempts that ended, as BullMQ counts them in the hash (`atm`); -1 when the job was not watched from its beginning. */
  attemptsMade: number;
  /** For a job not watched from its beginning: `starts` as its hash told it, and when (Redis time). Entries up to then never exceed it. */
  startsWhenRead: number;
  readAtMs: number;
  maxAttempts: number | undefined;
  waitingSinceMs: number | undefined;
  startedMs: number | undefined;
  etaMs: number | undefined;
  worker: string | undefined;
  parentTaskId: string | undefined;
  rootTaskId: string | undefined;
  retriedFrom: string | undefined;
  traceparent: string | undefined;
  /** When it ended; undefined while it has not, or runs again. */
  endedMs: number | undefined;
  /** Entries may be missing since: what the hash tells comes before what was counted. */
  isStale: boolean;
}

export function unknownJob(source: string, jobId: string): JobFacts {
  return {
    source,
    jobId,
    name: undefined,
    starts: 0,
    attemptsMade: -1,
    startsWhenRead: -1,
    readAtMs: 0,
    maxAttempts: undefined,
    waitingSinceMs: undefined,
    startedMs: undefined,
    etaMs: undefined,
    worker: undefined,
    parentTaskId: undefined,
    rootTaskId: undefined,
    retriedFrom: undefined,
    traceparent: undefined,
    endedMs: undefined,
    isStale: false,
  };
}

/** Facts by task id; the ones unused for longest go when it is full. */
export interface FactsMemory {
  get(taskId: string): JobFacts | undefined;
  set(taskId: string, facts: JobFacts): void;
  /** Forgets every task of one queue; gives those that had not ended. */
  forget(source: string): readonly JobFacts[];
  /** Marks every task of one queue as stale. */
  distrust(source: string): void;
  /** Tasks of all queues. */
  all(): Iterable<JobFacts>;
  readonly size: number;
}

export function createFactsMemory(capacity: number): FactsMemory {
  const facts = new Map<string, JobFacts>();
  return {
    get(taskId) {
      const found = facts.get(taskId);
      // Order only matters once something can fall out soon.
      if (found && facts.size > capacity / 2) {
        facts.delete(taskId);
        facts.set(taskId, found);
      }
      return found;
    },
    set(taskId, value) {
      facts.set(taskId, value);
      if (facts.size <= capacity) return;
      const oldest = facts.keys().next();
      if (!oldest.done) facts.delete(oldest.value);
    },
    forget(source) {
      const unfinished: JobFacts[] = [];
      for (const [taskId, value] of facts) {
        if (value.source !== source) continue;
        if (value.endedMs === undefined) unfinished.push(value);
        facts.delete(taskId);
      }
      return unfinished;
    },
    distrust(source) {
      for (const value of facts.values()) if (value.source === source) value.isStale = true;
    },
    all: () => facts.values(),
    get size() {
      return facts.size;
    },
  };
}
