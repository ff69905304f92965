interface Turn<Result> {
  readonly running: Promise<unknown>;
  /** Of everybody who asked while it runs. */
  next: Promise<Result | undefined> | null;
}

const firstRepeatMs = 250;
const longestRepeatMs = 10_000;

/**
 * Work by key: one run of a key at a time, all requests that come during a run share the next one, and none is lost. A run that fails is
 * reported and repeated after a quarter of a second, then after twice as long each time, at most 10 s.
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
   * Resolves with what the first run gives that begins after this call; undefined once stopped. A caller that does not wait need not handle
   * a failure: it is reported, and the run is repeated.
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
   * Does other work in a turn of the key of its own: no run of the key is under way meanwhile, and requests that come during it share the
   * next one. It is not repeated. Undefined once stopped.
   *
   * @throws whatever the work threw.
   */
  async runAlone<Other>(key: string, work: () => Promise<Other>): Promise<Other | undefined> {
    for (let turn = this.#turns.get(key); turn !== undefined; turn = this.#turns.get(key)) {
      await Promise.allSettled([turn.next ?? turn.running]);
    }
    return this.#isStopped ? undefined : this.#take(key, work());
  }

  /** Begins nothing more, and waits for what is under way. */
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

/** A promise whose rejection need not be handled by everybody who was given it. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
