const firstMs = 500;

/** Pauses between attempts: half a second, doubled each time, up to `maxMs`. */
export function createBackoff(maxMs: number) {
  let nextMs = Math.min(firstMs, maxMs);
  return {
    next(): number {
      const pauseMs = nextMs;
      nextMs = Math.min(maxMs, nextMs * 2);
      return pauseMs;
    },
    reset(): void {
      nextMs = Math.min(firstMs, maxMs);
    },
  };
}
