import type { Clock } from "./clock.ts";

const sayAgainMs = 10_000;

/**
 * Says something once in a while, with how many times it happened since: a failing database, or an agent that sends junk, does it with
 * every frame or handshake.
 */
export function createCountedWord(
  clock: Pick<Clock, "monotonicMs">,
  say: (times: number, about: Record<string, unknown>) => void,
): (about: Record<string, unknown>) => void {
  let times = 0;
  let saidMs = Number.NEGATIVE_INFINITY;
  return (about) => {
    times += 1;
    const nowMs = clock.monotonicMs();
    if (nowMs - saidMs < sayAgainMs) return;
    say(times, about);
    times = 0;
    saidMs = nowMs;
  };
}
