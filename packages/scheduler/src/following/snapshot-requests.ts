interface Request {
  readonly done: PromiseWithResolvers<void>;
}

/** Requests for a snapshot. One snapshot serves all requests that were made before it began, and none that was made after that. */
export function createSnapshotRequests() {
  let waiting: Request[] = [];
  let signalAdded = Promise.withResolvers<void>();

  return {
    /** Resolves when a snapshot that began after this call was applied. */
    add(): Promise<void> {
      const done = Promise.withResolvers<void>();
      waiting.push({ done });
      signalAdded.resolve();
      return done.promise;
    },
    isPending: (): boolean => waiting.length > 0,
    /** Resolves when there is a request. */
    added: (): Promise<void> => signalAdded.promise,
    /** Takes snapshots until no request is left. */
    async serve(take: () => Promise<void>, signal: AbortSignal): Promise<void> {
      while (waiting.length > 0 && !signal.aborted) {
        const served = waiting;
        waiting = [];
        signalAdded = Promise.withResolvers();
        await take();
        if (!signal.aborted) for (const { done } of served) done.resolve();
      }
    },
    /** The requests end without a snapshot; nothing waits for them any more. */
    end(): void {
      waiting = [];
      signalAdded.resolve();
    },
  };
}
