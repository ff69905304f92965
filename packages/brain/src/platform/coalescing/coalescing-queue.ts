interface Turn<Result> {
  readonly running: Promise<unknown>;
  /** Callers that asked while a run was in progress. */
  next: Promise<Result | undefined> | null;
}

const firstRepeatMs = 250;
const longestRepeatMs = 10_000;

/**
 * Coalesces work by key: a key has one run at a time, requests that arrive during a run share the next one, and none is lost. A failed run
 * is reported and retried after 0.25 s, with a backoff that doubles up to 10 s.
 */
export class CoalescingQueue<Result> {
  readonly #work: (key: string) => Promise<Result>;
  readonly #onFailure: (key: string, error: Error) => void;
  readonly #turns = new Map<string, Turn<Result>>();
  readonly #repeats = new Map<string, { readonly timer: NodeJS.Timeout; readonly afterMs: number }>();
  #isStopped = false;

  constructor(work: (key: string) => Promise<Result>, onFailure: (key: string, error: Error) => void) {
    this.#work = work;
    this.#onFailure = onFailure;
  }

  /**
   * Resolves with the result of the first run that begins after this call; undefined once stopped. A caller that does not wait need not
   * handle a failure: it is reported, and the run is retried.
   *
   * @throws whatever that run threw.
   */
  run(key: string): Promise<Result | undefined> {
    const turn = this.#turns.get(key);
    if (turn === undefined) return this.#begin(key);
    const again = () => this.#begin(key);
    turn.next ??= handled(turn.running.then(again, again));
    return turn.next;
  }

  /**
   * Does other work exclusively: no run of the key is in progress during it, and requests that arrive share the next run. It is not
   * retried. Undefined once stopped.
   *
   * @throws whatever the work threw.
   */
  async runAlone<Other>(key: string, work: () => Promise<Other>): Promise<Other | undefined> {
    for (let turn = this.#turns.get(key); turn !== undefined; turn = this.#turns.get(key)) {
      await Promise.allSettled([turn.next ?? turn.running]);
    }
    return this.#isStopped ? undefined : this.#take(key, work());
  }

  /** Starts no further run, and waits for those in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const key of [...this.#repeats.keys()]) this.#forgetRepeat(key);
    await Promise.allSettled([...this.#turns.values()].map(({ running }) => running));
  }

  #begin(key: string): Promise<Result | undefined> {
    if (this.#isStopped) {
      this.#turns.delete(key);
      return Promise.resolve(undefined);
    }
    const running = this.#work(key).then(
      (result) => {
        this.#forgetRepeat(key);
        return result;
      },
      (error: Error) => {
        this.#onFailure(key, error);
        this.#repeatLater(key);
        throw error;
      },
    );
    return this.#take(key, running);
  }

  #take<Other>(key: string, work: Promise<Other>): Promise<Other> {
    const running = handled(
      work.finally(() => {
        if (turn.next === null) this.#turns.delete(key);
      }),
    );
    const turn: Turn<Result> = { running, next: null };
    this.#turns.set(key, turn);
    return running;
  }

  #repeatLater(key: string): void {
    const before = this.#forgetRepeat(key);
    const afterMs = before === undefined ? firstRepeatMs : Math.min(before.afterMs * 2, longestRepeatMs);
    if (this.#isStopped) return;
    const timer = setTimeout(() => void this.run(key), afterMs);
    timer.unref();
    this.#repeats.set(key, { timer, afterMs });
  }

  #forgetRepeat(key: string) {
    const repeat = this.#repeats.get(key);
    clearTimeout(repeat?.timer);
    this.#repeats.delete(key);
    return repeat;
  }
}

/** A promise whose rejection need not be handled by every caller. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
