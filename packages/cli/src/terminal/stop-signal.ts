/** Ctrl-C, a supervisor's wish, and the end of the terminal. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** What a terminal sends to every process that it started. */
const terminalSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGHUP"];

/** npm passes on to its child what the terminal sent to both: two signals so close together are one wish. */
const echoMs = 300;

/**
 * Listens to the signals that ask for a stop until it is disposed. A second signal ends the process at once: who asks twice does not want
 * to wait for the drain.
 *
 * It holds the process until it is disposed, through the drain too: neither signal handlers nor an agent keep a process alive.
 *
 * @param isWorker the process that started this one hears the terminal too and passes its wish on as SIGTERM.
 */
export function listenForStop({ isWorker = false } = {}) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const alive = setInterval(() => {}, 2 ** 30);
  let askedAtMs: number | undefined;
  const asked = () => {
    askedAtMs ??= performance.now();
    resolve();
    if (performance.now() - askedAtMs > echoMs) process.exit(130);
  };
  const heard = stopSignals.map((signal) => {
    const listener = isWorker && terminalSignals.includes(signal) ? () => {} : asked;
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    /** Resolves at the first signal. */
    received: promise,
    [Symbol.dispose]() {
      clearInterval(alive);
      for (const { signal, listener } of heard) process.off(signal, listener);
    },
  };
}
