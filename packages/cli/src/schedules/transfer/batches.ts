import { CliError } from "../../command-line/exit-codes.ts";
import type { ScheduleDraft } from "../import/conversion.ts";

/** As many as one request may contain. */
export const maxBatch = 2000;
/** Half of the service's default limit for bodies. */
const maxBatchBytes = 512 << 10;
/** Almost all of it, for what must not be split. */
const maxOnlyBatchBytes = 1_000_000;

export interface Batch {
  /** Index of its first schedule in the input. */
  readonly offset: number;
  readonly schedules: ScheduleDraft[];
}

/** Splits schedules into requests. */
export function batchesOf(schedules: readonly ScheduleDraft[], maxBytes = maxBatchBytes): Batch[] {
  const batches: Batch[] = [];
  let bytes = 0;
  for (const [index, schedule] of schedules.entries()) {
    const size = Buffer.byteLength(JSON.stringify(schedule));
    const open = batches.at(-1);
    if (open === undefined || open.schedules.length === maxBatch || bytes + size > maxBytes) {
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
export function onlyBatch(schedules: readonly ScheduleDraft[]): Batch[] {
  const batches = batchesOf(schedules, maxOnlyBatchBytes);
  if (batches.length > 1)
    throw new CliError(
      "failed",
      "--replace accepts at most 2,000 schedules of 1 MB in total. Split the file, with a source name for each part",
    );
  return batches;
}
