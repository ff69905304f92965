import type { Clock } from "../../../platform/clock.ts";
import { isTransient } from "../../../platform/database/errors.ts";
import { addressBlock } from "../../../platform/http/connections/addresses.ts";
import type { AuditEntry } from "../chain/entry.ts";

export interface RefusalCollectorDeps {
  readonly clock: Clock;
  /** Writes rows in one transaction, or throws and writes none. */
  write(entries: readonly AuditEntry[]): Promise<void>;
  /** A batch could not be written. Its rows are kept and written later. */
  onFailed(error: unknown): void;
  /** A refusal was counted instead of recorded. */
  onSuppressed(): void;
  /** Schedules a function and returns how to cancel it. Tests step through the batches with it. */
  readonly schedule?: (run: () => void, afterMs: number) => () => void;
}

export const refusalLimits = {
  /** Maximum waiting rows, including those being written; further refusals are counted. */
  maxWaiting: 1000,
  /** Rows per transaction: a few milliseconds of the writer, so that other writes never wait long behind one batch. */
  rowsPerBatch: 100,
  /** Pause between two batches, in which other writes have the database to themselves. */
  pauseMs: 250,
  /** A summary row covers the refusals of this time, so that a lasting flood causes six rows a minute. */
  summaryMs: 10_000,
} as const;

const firstRetryMs = 1000;
const longestRetryMs = 30_000;

export const suppressedAction = "auth.refusals_suppressed";

/**
 * Audit rows of refused unauthenticated requests. No action waits for them, so they are written in small batches, one at a time, and a
 * flood of them becomes a summary row. A failed batch is repeated, so rows are lost only when the process is killed.
 */
export class RefusalCollector {
  readonly #deps: RefusalCollectorDeps;
  readonly #waiting: AuditEntry[] = [];
  /** Rows being written, or to be repeated. */
  #batch: AuditEntry[] = [];
  #batchSize: number = refusalLimits.rowsPerBatch;
  #summary: Summary | null = null;
  #writing: Promise<boolean> | null = null;
  #cancelTimer: (() => void) | null = null;
  #retryMs = 0;
  /** Each flush begins after the previous one. */
  #flushed: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #isStopped = false;

  constructor(deps: RefusalCollectorDeps) {
    this.#deps = deps;
  }

  /** Accepts a row for the next batches; counts it when too many are waiting. */
  collect(entry: AuditEntry): void {
    if (this.#waiting.length + this.#batch.length >= refusalLimits.maxWaiting) this.suppress(entry);
    else {
      this.#waiting.push(entry);
      this.#plan();
    }
  }

  /** Counts a refusal in the next summary row. */
  suppress(entry: AuditEntry): void {
    this.#summary ??= createSummary(this.#deps.clock);
    this.#summary.add(entry);
    this.#deps.onSuppressed();
    this.#plan();
  }

  /** Writes the waiting rows and the summary, batch after batch; stops early when a batch fails. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#writeAll());
    return this.#flushed;
  }

  /** As `flush`, and writes nothing later. @returns the number of rows that could not be written */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.flush();
    return this.#waiting.length + this.#batch.length + (this.#summary === null ? 0 : 1);
  }

  #plan(): void {
    if (this.#cancelTimer !== null || this.#writing !== null || this.#isFlushing || this.#isStopped) return;
    if (this.#batch.length === 0 && this.#waiting.length === 0 && this.#summary === null) return;
    const { schedule = startTimer } = this.#deps;
    this.#cancelTimer = schedule(
      () => {
        this.#cancelTimer = null;
        this.#fillBatch(false);
        if (this.#batch.length > 0) void this.#writeBatch();
        else this.#plan();
      },
      Math.max(refusalLimits.pauseMs, this.#retryMs),
    );
  }

  #fillBatch(withSummary: boolean): void {
    // A failed batch is repeated unchanged.
    if (this.#batch.length > 0) return;
    this.#batch = this.#waiting.splice(0, this.#batchSize);
    const summary = this.#summary;
    if (summary === null) return;
    if (withSummary || this.#deps.clock.monotonicMs() - summary.sinceMs >= refusalLimits.summaryMs) {
      this.#batch.push(summary.entry());
      this.#summary = null;
    }
  }

  #writeBatch(): Promise<boolean> {
    this.#writing = this.#deps
      .write(this.#batch)
      .then(
        () => {
          this.#batch = [];
          this.#batchSize = refusalLimits.rowsPerBatch;
          this.#retryMs = 0;
          return true;
        },
        (error: unknown) => {
          this.#retryMs = Math.min(longestRetryMs, Math.max(firstRetryMs, this.#retryMs * 2));
          if (!isTransient(error)) this.#narrowDown();
          this.#deps.onFailed(error);
          return false;
        },
      )
      .finally(() => {
        this.#writing = null;
        this.#plan();
      });
    return this.#writing;
  }

  /** A row that can never be written must not block the others: the batch is halved until the row is alone, and then it is counted. */
  #narrowDown(): void {
    const [only] = this.#batch;
    if (this.#batch.length > 1) {
      this.#batchSize = Math.ceil(this.#batch.length / 2);
      this.#waiting.unshift(...this.#batch.splice(this.#batchSize));
    } else if (only !== undefined && only.action !== suppressedAction) {
      this.#batch = [];
      this.suppress(only);
    }
  }

  async #writeAll(): Promise<void> {
    this.#isFlushing = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#writing !== null) await this.#writing;
    for (this.#fillBatch(true); this.#batch.length > 0; this.#fillBatch(true)) {
      if (!(await this.#writeBatch())) break;
    }
    this.#isFlushing = false;
    this.#plan();
  }
}

const maxAddresses = 10;

function createSummary(clock: Clock) {
  const first = clock.now().toISOString();
  const kinds: Record<string, number> = {};
  const addresses = new Set<string>();
  let last = first;
  let count = 0;
  return {
    sinceMs: clock.monotonicMs(),
    add({ action, source_ip }: AuditEntry) {
      count += 1;
      last = clock.now().toISOString();
      kinds[action] = (kinds[action] ?? 0) + 1;
      if (source_ip && addresses.size < maxAddresses) addresses.add(addressBlock(source_ip));
    },
    entry: () => ({
      action: suppressedAction,
      target_type: "address",
      result: "failed",
      outcome: "deny",
      metadata: { count, first, last, kinds, addresses: [...addresses] },
    }),
  };
}

type Summary = ReturnType<typeof createSummary>;

/** The timer does not keep the process alive: a process that stops flushes instead. */
function startTimer(run: () => void, afterMs: number): () => void {
  const timer = setTimeout(run, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}
