interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupedWorkOptions<Request, Result> {
  /** Does the work of a group and returns the results in its order. */
  readonly run: (requests: readonly Request[]) => Promise<readonly Result[]>;
  /** Whether a failure concerns the whole group, so that its requests need not be tried alone. */
  readonly isOfAll: (error: unknown) => boolean;
  /** Concurrent groups. */
  readonly lanes: number;
  readonly maxGroup: number;
  /** Maximum waiting requests; more are refused. */
  readonly maxWaiting: number;
  /** Creates the error of a refused request. */
  readonly refusal: () => Error;
}

/**
 * Does work that is cheaper in groups: requests that arrive while others are in progress share the next group, and none waits for more to
 * arrive. When a group fails because of one of its requests, each is tried alone.
 */
export function createGroupedWork<Request, Result>({
  run,
  isOfAll,
  lanes,
  maxGroup,
  maxWaiting,
  refusal,
}: GroupedWorkOptions<Request, Result>) {
  const waiting: Waiting<Request, Result>[] = [];
  let running = 0;
  let isScheduled = false;

  async function runGroup(group: readonly Waiting<Request, Result>[]): Promise<void> {
    try {
      const results = await run(group.map(({ request }) => request));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1 || isOfAll(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await runGroup([one]);
    }
  }

  // Deferred to the end of the event loop's turn, so that all requests read in one turn share a group.
  function schedule(): void {
    if (isScheduled || waiting.length === 0 || running >= lanes) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (waiting.length > 0 && running < lanes) {
        running += 1;
        void runGroup(waiting.splice(0, maxGroup)).finally(() => {
          running -= 1;
          schedule();
        });
      }
    });
  }

  /** @throws whatever the work of its group threw, or the refusal. */
  return (request: Request): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(refusal());
      waiting.push({ request, resolve, reject });
      schedule();
    });
}
