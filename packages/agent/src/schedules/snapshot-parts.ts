import type { MirroredSchedule } from "./scheduler-adapter.ts";

const schedulesPerPart = 100;
/** A third of what fits an event: redaction may lengthen it. */
const bytesPerPart = 256 * 1024;

/** Cuts the schedules of a snapshot into parts that fit an event each. At least one part, empty without schedules. */
export function cutIntoParts(schedules: readonly MirroredSchedule[]): readonly (readonly MirroredSchedule[])[] {
  const parts: MirroredSchedule[][] = [[]];
  let sizeBytes = 0;
  for (const schedule of schedules) {
    const bytes = Buffer.byteLength(JSON.stringify(schedule));
    const isFull = parts.at(-1)?.length === schedulesPerPart || sizeBytes + bytes > bytesPerPart;
    if (isFull && parts.at(-1)?.length !== 0) {
      parts.push([]);
      sizeBytes = 0;
    }
    parts.at(-1)?.push(schedule);
    sizeBytes += bytes;
  }
  return parts;
}
