export interface FairQueueLimits {
  /** Concurrent jobs. */
  readonly atOnce: number;
  /** Concurrent jobs of one source. */
  readonly perSource: number;
  /** Maximum waiting jobs. */
  readonly maxWaiting: number;
}

interface Waiter {
  readonly start: () => void;
  readonly refuse: () => void;
}

/** Waiting jobs by source, in round-robin order: a source that had its turn goes to the end. */
type Line = Map<string, Waiter[]>;

/**
 * Runs jobs that need a scarce resource, a few at a time. Waiting jobs take turns by source. When too many wait, the newest job of the
 * source with the most is refused, so that a flooding source delays and displaces itself first.
 *
 * @param refusal creates the error of a refused job.
 * @param isPreferred whether a source goes first and is refused last.
 */
export function createFairQueue(
  { atOnce, perSource, maxWaiting }: FairQueueLimits,
  refusal: () => Error,
  isPreferred: (source: string) => boolean = () => false,
) {
  const running = new Map<string, number>();
  let active = 0;
  let waitingCount = 0;
  const preferred: Line = new Map();
  const others: Line = new Map();

  const hasPlace = (source: string): boolean => active < atOnce && (running.get(source) ?? 0) < perSource;

  function take(source: string): void {
    active += 1;
    running.set(source, (running.get(source) ?? 0) + 1);
  }

  function release(source: string): void {
    active -= 1;
    const left = (running.get(source) ?? 0) - 1;
    if (left > 0) running.set(source, left);
    else running.delete(source);
  }

  function wait(source: string): Promise<void> {
    return new Promise((start, reject) => {
      const line = isPreferred(source) ? preferred : others;
      const waiters = line.get(source) ?? [];
      waiters.push({ start, refuse: () => reject(refusal()) });
      line.set(source, waiters);
      waitingCount += 1;
      if (waitingCount > maxWaiting) dropOne(others.size > 0 ? others : preferred);
    });
  }

  function dropOne(line: Line): void {
    let fullest: [string, Waiter[]] = ["", []];
    // Among the sources with the most waiting jobs, the newest: the others have waited longer.
    for (const entry of line) if (entry[1].length >= fullest[1].length) fullest = entry;
    const [source, waiters] = fullest;
    waiters.pop()?.refuse();
    waitingCount -= 1;
    if (waiters.length === 0) line.delete(source);
  }

  /** Starts the next job; its slot is taken synchronously, so that no other job can take it. */
  function startNext(): void {
    for (const line of [preferred, others]) {
      for (const [source, waiters] of line) {
        if (!hasPlace(source)) continue;
        take(source);
        waitingCount -= 1;
        const waiter = waiters.shift();
        line.delete(source);
        if (waiters.length > 0) line.set(source, waiters);
        waiter?.start();
        return;
      }
    }
  }

  return async function inTurn<T>(source: string, work: () => Promise<T>): Promise<T> {
    if (hasPlace(source)) take(source);
    else await wait(source);
    try {
      return await work();
    } finally {
      release(source);
      startNext();
    }
  };
}
