import type { Clock } from "../../platform/clock.ts";

const sayAgainMs = 10_000;

/**
 * Says something once in a while, with how many times it happened since: a failing database, or an agent that sends junk, does it with
 * every frame.
 */
export function createCountedWord(
  clock: Pick<Clock, "monotonicMs">,
  say: (frames: number, about: Record<string, unknown>) => void,
): (about: Record<string, unknown>) => void {
  let frames = 0;
  let saidMs = Number.NEGATIVE_INFINITY;
  return (about) => {
    frames += 1;
    const nowMs = clock.monotonicMs();
    if (nowMs - saidMs < sayAgainMs) return;
    say(frames, about);
    frames = 0;
    saidMs = nowMs;
  };
}
