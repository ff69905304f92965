// How far the server's clock is ahead of this browser's, by the Date of its answers: good to about a second. Instants of
// the server that are counted down to are compared with its clock; this browser's may be wrong by minutes.
let aheadMs = 0;

/** Notes what an answer that came just now tells; its Date has whole seconds. */
export function noteServerTime(serverTimeMs: number | null): void {
  if (serverTimeMs !== null) aheadMs = serverTimeMs + 500 - Date.now();
}

/** What the server's clock shows when this browser's shows `at`, in milliseconds since 1970. */
export function serverTimeAt(at: number): number {
  return at + aheadMs;
}
