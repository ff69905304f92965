/** Ctrl-C, a supervisor's stop request, and closing the terminal. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Signals that a terminal sends to every process it started. */
const terminalSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGHUP"];

/** npm forwards to its child what the terminal sent to both, so two signals close together count as one. */
const echoMs = 300;

/**
 * Listens for stop signals until it is disposed. A second signal exits the process immediately, without waiting for the drain.
 *
 * Keeps the process alive until it is disposed, because neither signal handlers nor an agent do.
 *
 * @param isWorker the parent process receives the terminal's signals too and forwards them as SIGTERM.
 */
export function listenForStop({ isWorker = false } = {}) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const keepAlive = setInterval(() => {}, 2 ** 30);
  let firstAtMs: number | undefined;
  const onSignal = () => {
    firstAtMs ??= performance.now();
    resolve();
    if (performance.now() - firstAtMs > echoMs) process.exit(130);
  };
  const listeners = stopSignals.map((signal) => {
    const listener = isWorker && terminalSignals.includes(signal) ? () => {} : onSignal;
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    /** Resolves on the first signal. */
    received: promise,
    [Symbol.dispose]() {
      clearInterval(keepAlive);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
