// The offset of the server's clock, from the Date header of its responses; accurate to about a second. Countdowns to server times use it,
// because the browser's clock may be wrong by minutes.
let aheadMs = 0;

/** Updates the offset from a response received just now; its Date has whole seconds. */
export function noteServerTime(serverTimeMs: number | null): void {
  if (serverTimeMs !== null) aheadMs = serverTimeMs + 500 - Date.now();
}

/** The server's time when the browser's clock shows `at`, in milliseconds since 1970. */
export function serverTimeAt(at: number): number {
  return at + aheadMs;
}
