import { omittedTextNote } from "@svc/protocol";
import type { MirroredSchedule } from "./scheduler-adapter.ts";

/** The service reads at most 100 parts of at most 500 schedules. */
const mostParts = 100;
const schedulesPerPart = 200;
/** A third of what fits an event: redaction may lengthen it. */
const bytesPerPart = 256 * 1024;
const largeInputBytes = 1024;

type Parts = readonly (readonly MirroredSchedule[])[];

/**
 * Cuts the schedules of a snapshot into parts that fit an event each. At least one part, empty without schedules. Large inputs are left out
 * when there would be too many parts.
 */
export function cutIntoParts(schedules: readonly MirroredSchedule[]): Parts {
  const parts = cut(schedules);
  return parts.length <= mostParts ? parts : cut(schedules.map(withoutLargeInputs)).slice(0, mostParts);
}

function cut(schedules: readonly MirroredSchedule[]): Parts {
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

function withoutLargeInputs(schedule: MirroredSchedule): MirroredSchedule {
  const { length } = JSON.stringify([schedule.args, schedule.kwargs]);
  return length <= largeInputBytes ? schedule : { ...schedule, args: [omittedTextNote(length)], kwargs: {} };
}
