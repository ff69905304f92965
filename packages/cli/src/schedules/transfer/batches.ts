import { CliError } from "../../command-line/exit-codes.ts";
import type { ScheduleDraft } from "../import/conversion.ts";

/** As many as one request may contain. */
export const maxBatch = 2000;
/** Half of the service's default limit for bodies. */
const maxBatchBytes = 512 << 10;

/** Splits schedules into requests. `offset` is the index of the first one. */
export function batchesOf(schedules: readonly ScheduleDraft[]): { offset: number; schedules: ScheduleDraft[] }[] {
  const batches: { offset: number; schedules: ScheduleDraft[] }[] = [];
  let bytes = 0;
  for (const [index, schedule] of schedules.entries()) {
    const size = Buffer.byteLength(JSON.stringify(schedule));
    const open = batches.at(-1);
    if (open === undefined || open.schedules.length === maxBatch || bytes + size > maxBatchBytes) {
      batches.push({ offset: index, schedules: [schedule] });
      bytes = size;
    } else {
      open.schedules.push(schedule);
      bytes += size;
    }
  }
  return batches;
}

/** Replacing a source needs all of its schedules in one request. @throws CliError `failed` */
export function onlyBatch(schedules: readonly ScheduleDraft[]): { offset: number; schedules: ScheduleDraft[] }[] {
  const batches = batchesOf(schedules);
  if (batches.length > 1)
    throw new CliError(
      "failed",
      "--replace accepts at most 2,000 schedules of 512 KiB in total. Split the file, with a source name for each part",
    );
  return batches;
}
