const windowMs = 60_000;
const mostInWindow = 5;
const firstPauseMs = 500;

export interface Restarts {
  /** Milliseconds to wait before a worker that has just ended is started again; null when it ended too often. */
  next(): number | null;
}

/** Starts one worker again at most five times a minute, with pauses that double: what cannot run must not run in circles. */
export function createRestarts(nowMs: () => number): Restarts {
  let at: number[] = [];
  return {
    next() {
      const now = nowMs();
      at = at.filter((earlier) => now - earlier < windowMs);
      if (at.length === mostInWindow) return null;
      at.push(now);
      return firstPauseMs * 2 ** (at.length - 1);
    },
  };
}
