export interface FairQueueLimits {
  /** Works at once. */
  readonly atOnce: number;
  /** Works of one source at once. */
  readonly perSource: number;
  /** Works that wait for their turn at most. */
  readonly maxWaiting: number;
}

interface Waiter {
  readonly start: () => void;
  readonly refuse: () => void;
}

/** Waiting works by source, in the order of turns: a source that had its turn goes to the end. */
type Line = Map<string, Waiter[]>;

/**
 * Works that take a scarce resource, a few at a time. Those that wait take turns by source, and when too many wait, the latest of the source
 * with the most waiting works is refused: a source that floods delays and displaces itself before it does so to others.
 *
 * @param refusal makes the error of a work that is refused.
 * @param isPreferred whether a source goes before those that are not, and is refused after them.
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

  function giveBack(source: string): void {
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
    // Of sources with equally many, the latest to come: those before it have waited for longer.
    for (const entry of line) if (entry[1].length >= fullest[1].length) fullest = entry;
    const [source, waiters] = fullest;
    waiters.pop()?.refuse();
    waitingCount -= 1;
    if (waiters.length === 0) line.delete(source);
  }

  /** Starts the work whose turn it is; its place is taken before anybody else can have it. */
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
      giveBack(source);
      startNext();
    }
  };
}
