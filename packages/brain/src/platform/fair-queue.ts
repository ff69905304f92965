export interface FairQueueLimits {
  /** Works at once. */
  readonly atOnce: number;
  /** Works that wait for their turn at most. */
  readonly maxWaiting: number;
}

interface Waiter {
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * Works that take a scarce resource, a few at a time. Those that wait take turns by source, and when too many wait, the latest of the source
 * with the most waiting works is refused: a source that floods delays and displaces itself before it does so to others.
 *
 * @param refusal makes the error of a work that is refused.
 */
export function createFairQueue({ atOnce, maxWaiting }: FairQueueLimits, refusal: () => Error) {
  let active = 0;
  let waitingCount = 0;
  // In the order of turns: a source that had its turn goes to the end.
  const waiting = new Map<string, Waiter[]>();

  function add(source: string, waiter: Waiter): void {
    const ofSource = waiting.get(source);
    if (ofSource === undefined) waiting.set(source, [waiter]);
    else ofSource.push(waiter);
    waitingCount += 1;
    if (waitingCount > maxWaiting) dropOne();
  }

  function dropOne(): void {
    let fullest: [string, Waiter[]] = ["", []];
    // Of sources with equally many, the latest to come: those before it have waited for longer.
    for (const entry of waiting) if (entry[1].length >= fullest[1].length) fullest = entry;
    const [source, waiters] = fullest;
    waiters.pop()?.refuse();
    waitingCount -= 1;
    if (waiters.length === 0) waiting.delete(source);
  }

  /** Passes the place to the next in turn without its becoming free in between. */
  function next(): void {
    const [first] = waiting;
    if (first === undefined) {
      active -= 1;
      return;
    }
    const [source, waiters] = first;
    const waiter = waiters.shift();
    waitingCount -= 1;
    waiting.delete(source);
    if (waiters.length > 0) waiting.set(source, waiters);
    waiter?.start();
  }

  return async function inTurn<T>(source: string, work: () => Promise<T>): Promise<T> {
    if (active < atOnce) active += 1;
    else await new Promise<void>((start, reject) => add(source, { start, refuse: () => reject(refusal()) }));
    try {
      return await work();
    } finally {
      next();
    }
  };
}
