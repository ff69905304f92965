/**
 * Resolves at the first SIGINT or SIGTERM, with the signal. A second one ends the process at once: whoever asks twice does not want to
 * wait for the drain.
 */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Neither a signal handler nor an agent keeps a process alive; waiting to be stopped does.
    const alive = setInterval(() => {}, 2 ** 30);
    const asked = (signal: NodeJS.Signals) => {
      clearInterval(alive);
      for (const name of ["SIGINT", "SIGTERM"] as const) {
        process.off(name, asked);
        process.once(name, () => process.exit(130));
      }
      resolve(signal);
    };
    process.on("SIGINT", asked);
    process.on("SIGTERM", asked);
  });
}
