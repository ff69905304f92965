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
  /** Runs something later and returns how to cancel it. Tests step through the batches with it. */
  readonly schedule?: (run: () => void, afterMs: number) => () => void;
}

export const refusalLimits = {
  /** Rows that wait at most, those being written among them; further refusals are counted. */
  maxWaiting: 1000,
  /** Rows of one transaction: a few milliseconds of the writer, so that other writes never wait long behind one batch. */
  rowsPerBatch: 100,
  /** Pause between two batches, in which other writes have the database to themselves. */
  pauseMs: 250,
  /** A summary row covers the refusals of this time, so that a lasting flood costs six rows a minute. */
  summaryMs: 10_000,
} as const;

const firstRetryMs = 1000;
const longestRetryMs = 30_000;

export const suppressedAction = "auth.refusals_suppressed";

/**
 * Audit rows of refused strangers. They belong to no action that waits for them, so they are written in small batches, one at a time, and
 * a flood of them becomes a summary row. A batch that fails is repeated, so what waits here is lost only when the process is killed.
 */
export function createRefusalCollector(deps: RefusalCollectorDeps) {
  const { clock, schedule = startTimer } = deps;
  const { maxWaiting, rowsPerBatch, pauseMs, summaryMs } = refusalLimits;
  const waiting: AuditEntry[] = [];
  /** Being written, or to be repeated. */
  let batch: AuditEntry[] = [];
  let batchSize: number = rowsPerBatch;
  let summary: Summary | null = null;
  let writing: Promise<boolean> | null = null;
  let cancelTimer: (() => void) | null = null;
  let retryMs = 0;
  /** Each flush begins after the one before it. */
  let flushed: Promise<void> = Promise.resolve();
  let isFlushing = false;
  let isStopped = false;

  /** Counts a refusal in the next summary row. */
  function suppress(entry: AuditEntry): void {
    summary ??= createSummary(clock);
    summary.add(entry);
    deps.onSuppressed();
    plan();
  }

  function plan(): void {
    if (cancelTimer !== null || writing !== null || isFlushing || isStopped) return;
    if (batch.length === 0 && waiting.length === 0 && summary === null) return;
    cancelTimer = schedule(
      () => {
        cancelTimer = null;
        fillBatch(false);
        if (batch.length > 0) void writeBatch();
        else plan();
      },
      Math.max(pauseMs, retryMs),
    );
  }

  function fillBatch(withSummary: boolean): void {
    // A batch that failed is repeated as it is.
    if (batch.length > 0) return;
    batch = waiting.splice(0, batchSize);
    if (summary !== null && (withSummary || clock.monotonicMs() - summary.sinceMs >= summaryMs)) {
      batch.push(summary.entry());
      summary = null;
    }
  }

  function writeBatch(): Promise<boolean> {
    writing = deps
      .write(batch)
      .then(
        () => {
          batch = [];
          batchSize = rowsPerBatch;
          retryMs = 0;
          return true;
        },
        (error: unknown) => {
          retryMs = Math.min(longestRetryMs, Math.max(firstRetryMs, retryMs * 2));
          if (!isTransient(error)) narrowDown();
          deps.onFailed(error);
          return false;
        },
      )
      .finally(() => {
        writing = null;
        plan();
      });
    return writing;
  }

  /** A row that no repetition can write must not hold up the others: the batch is halved until it is alone, and then counted. */
  function narrowDown(): void {
    const [only] = batch;
    if (batch.length > 1) {
      batchSize = Math.ceil(batch.length / 2);
      waiting.unshift(...batch.splice(batchSize));
    } else if (only !== undefined && only.action !== suppressedAction) {
      batch = [];
      suppress(only);
    }
  }

  async function writeAll(): Promise<void> {
    isFlushing = true;
    cancelTimer?.();
    cancelTimer = null;
    if (writing !== null) await writing;
    for (fillBatch(true); batch.length > 0; fillBatch(true)) {
      if (!(await writeBatch())) break;
    }
    isFlushing = false;
    plan();
  }

  /** Writes what waits, the summary included, batch after batch; ends early when one fails. */
  function flush(): Promise<void> {
    flushed = flushed.then(writeAll);
    return flushed;
  }

  return {
    /** Takes a row to be written with the next batches; counts it when too many wait. */
    collect(entry: AuditEntry) {
      if (waiting.length + batch.length >= maxWaiting) return suppress(entry);
      waiting.push(entry);
      plan();
    },
    suppress,
    flush,
    /** As `flush`, and writes nothing later. @returns the rows that could not be written */
    async stop() {
      isStopped = true;
      await flush();
      return waiting.length + batch.length + (summary === null ? 0 : 1);
    },
  };
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

/** Keeps no process alive: a process that stops flushes instead. */
function startTimer(run: () => void, afterMs: number): () => void {
  const timer = setTimeout(run, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}
