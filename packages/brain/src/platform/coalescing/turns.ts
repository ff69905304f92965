/** Work by key: one run of a key at a time, and none that was asked for is lost. */
export interface Turns<Result> {
  /**
   * Resolves with what the first run gives that begins after this call; of those who ask while a run is under way all get the next one.
   * Undefined once stopped. Whoever does not wait need not handle a failure: it has been told, and the run is repeated.
   *
   * @throws whatever that run threw.
   */
  ask(key: string): Promise<Result | undefined>;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

interface Turn<Result> {
  readonly running: Promise<Result | undefined>;
  next: Promise<Result | undefined> | null;
}

const firstRepeatMs = 250;
const longestRepeatMs = 10_000;

/**
 * @param run does what is there to do for a key.
 * @param failed is told of every run that threw; it is repeated after a quarter of a second, then after twice as long each time, at most 10 s.
 */
export function createTurns<Result>(
  run: (key: string) => Promise<Result>,
  failed: (key: string, error: Error) => void,
): Turns<Result> {
  const turns = new Map<string, Turn<Result>>();
  const repeats = new Map<string, { readonly timer: NodeJS.Timeout; readonly afterMs: number }>();
  let isStopped = false;

  function begin(key: string): Promise<Result | undefined> {
    if (isStopped) {
      turns.delete(key);
      return Promise.resolve(undefined);
    }
    const running = run(key)
      .then((result) => {
        forgetRepeat(key);
        return result;
      })
      .catch((error: Error) => {
        failed(key, error);
        repeatLater(key);
        throw error;
      })
      .finally(() => {
        if (turn.next === null) turns.delete(key);
      });
    const turn: Turn<Result> = { running: unheard(running), next: null };
    turns.set(key, turn);
    return turn.running;
  }

  function repeatLater(key: string): void {
    const before = forgetRepeat(key);
    const afterMs = before === undefined ? firstRepeatMs : Math.min(before.afterMs * 2, longestRepeatMs);
    if (isStopped) return;
    const timer = setTimeout(() => void ask(key), afterMs);
    timer.unref();
    repeats.set(key, { timer, afterMs });
  }

  function forgetRepeat(key: string) {
    const repeat = repeats.get(key);
    clearTimeout(repeat?.timer);
    repeats.delete(key);
    return repeat;
  }

  function ask(key: string): Promise<Result | undefined> {
    const turn = turns.get(key);
    if (turn === undefined) return begin(key);
    const again = () => begin(key);
    turn.next ??= unheard(turn.running.then(again, again));
    return turn.next;
  }

  return {
    ask,
    async stop() {
      isStopped = true;
      for (const key of [...repeats.keys()]) forgetRepeat(key);
      await Promise.allSettled([...turns.values()].map(({ running }) => running));
    },
  };
}

/** A promise whose rejection need not be handled by everybody who was given it. */
function unheard<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
