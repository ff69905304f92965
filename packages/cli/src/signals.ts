/** Ctrl-C, a supervisor's wish, and the end of the terminal. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens to the signals that ask for a stop from its making until it is disposed. */
export interface StopSignal extends Disposable {
  /** Resolves at the first signal. */
  readonly received: Promise<void>;
}

/** npm passes on to its child what the terminal sent to both: two signals so close together are one wish. */
const echoMs = 300;

/**
 * A second signal ends the process at once: whoever asks twice does not want to wait for the drain.
 *
 * It holds the process until it is disposed, through the drain too: neither signal handlers nor an agent keep a process alive.
 */
export function listenForStop(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<void>();
  const alive = setInterval(() => {}, 2 ** 30);
  let askedAtMs: number | undefined;
  const asked = () => {
    askedAtMs ??= performance.now();
    resolve();
    if (performance.now() - askedAtMs > echoMs) process.exit(130);
  };
  for (const signal of stopSignals) process.on(signal, asked);
  return {
    received: promise,
    [Symbol.dispose]() {
      clearInterval(alive);
      for (const signal of stopSignals) process.off(signal, asked);
    },
  };
}
