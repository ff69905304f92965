/** State of a task that its later events need from its earlier ones. Payloads are never kept. */
export class JobFacts {
  /** Source and job id form the job's key in Redis. */
  readonly source: string;
  readonly jobId: string;
  name: string | undefined;
  /** Times the job became active, counted from the stream; the current attempt number is one less. */
  starts = 0;
  /** Attempts that ended, as BullMQ counts them in the hash (`atm`); -1 when the job was not watched from its beginning. */
  attemptsMade = -1;
  /** For a job not watched from its beginning: `starts` in its hash, and when it was read (Redis time). Earlier entries never exceed it. */
  startsWhenRead = -1;
  readAtMs = 0;
  maxAttempts: number | undefined;
  waitingSinceMs: number | undefined;
  startedMs: number | undefined;
  etaMs: number | undefined;
  worker: string | undefined;
  parentTaskId: string | undefined;
  rootTaskId: string | undefined;
  retriedFrom: string | undefined;
  traceparent: string | undefined;
  /** Undefined while the job has not ended or runs again. */
  endedMs: number | undefined;
  /** Entries may be missing: the hash takes precedence over these counts. */
  isStale = false;

  constructor(source: string, jobId: string) {
    this.source = source;
    this.jobId = jobId;
  }
}

/** Facts by task id, as an LRU cache. */
export class FactsMemory {
  readonly #facts = new Map<string, JobFacts>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(taskId: string): JobFacts | undefined {
    const found = this.#facts.get(taskId);
    // Order matters only when eviction is near.
    if (found && this.#facts.size > this.#capacity / 2) {
      this.#facts.delete(taskId);
      this.#facts.set(taskId, found);
    }
    return found;
  }

  set(taskId: string, facts: JobFacts): void {
    this.#facts.set(taskId, facts);
    if (this.#facts.size <= this.#capacity) return;
    const oldest = this.#facts.keys().next();
    if (!oldest.done) this.#facts.delete(oldest.value);
  }

  /** Forgets all tasks of a queue and returns the unfinished ones. */
  forget(source: string): readonly JobFacts[] {
    const unfinished: JobFacts[] = [];
    for (const [taskId, facts] of this.#facts) {
      if (facts.source !== source) continue;
      if (facts.endedMs === undefined) unfinished.push(facts);
      this.#facts.delete(taskId);
    }
    return unfinished;
  }

  /** Marks all tasks of a queue as stale. */
  distrust(source: string): void {
    for (const facts of this.#facts.values()) if (facts.source === source) facts.isStale = true;
  }

  /** Tasks of all queues. */
  all(): Iterable<JobFacts> {
    return this.#facts.values();
  }

  get size(): number {
    return this.#facts.size;
  }
}
