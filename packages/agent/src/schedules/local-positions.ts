import { type Clock, systemClock } from "../runtime/clock.ts";
import type { PositionCounter, StreamPosition } from "./scheduler-adapter.ts";

/** A counter for schedules that only this process reports. */
export function createLocalPositions(clock: Clock = systemClock): PositionCounter {
  let newest: StreamPosition | undefined;
  return {
    newest: () => Promise.resolve(newest),
    take(count, { isStart = false, since }) {
      const isCurrent = since === undefined || (since.epoch === newest?.epoch && since.sequence === newest.sequence);
      if (!isCurrent) return Promise.resolve(undefined);
      const before =
        newest === undefined || isStart
          ? { epoch: Math.max(clock.nowMs(), (newest?.epoch ?? 0) + 1), sequence: 0 }
          : newest;
      newest = { epoch: before.epoch, sequence: before.sequence + count };
      return Promise.resolve({ epoch: before.epoch, sequence: before.sequence + 1 });
    },
  };
}
