/** Requests for a snapshot. One snapshot serves all requests that were made before it began, and none that was made after that. */
export function createSnapshotRequests() {
  let isPending = false;
  let added = Promise.withResolvers<void>();

  return {
    add(): void {
      isPending = true;
      added.resolve();
    },
    /** Resolves when there is a request. */
    added: (): Promise<void> => added.promise,
    /** Takes snapshots until no request is left. */
    async serve(take: () => Promise<void>, signal: AbortSignal): Promise<void> {
      while (isPending && !signal.aborted) {
        isPending = false;
        added = Promise.withResolvers();
        await take();
      }
    },
  };
}
