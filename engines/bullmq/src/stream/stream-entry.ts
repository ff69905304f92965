/** One entry of a BullMQ event stream. Redis stamps the id `<ms>-<sequence>` with its own clock. */
export interface StreamEntry {
  readonly id: string;
  readonly ms: number;
  readonly event: string;
  readonly jobId: string;
  readonly name: string | undefined;
  readonly prev: string | undefined;
  readonly delay: string | undefined;
  readonly returnvalue: string | undefined;
  readonly failedReason: string | undefined;
}

export type RawEntry = readonly [id: string, fields: readonly string[]];

/** Events that concern one task; the others (drained, progress, paused, cleaned, duplicated ...) say nothing about its life. */
// biome-ignore format: a list
const taskEvents = new Set([
  "added", "waiting", "waiting-children", "active", "delayed", "completed", "failed", "removed",
]);

/** Undefined for an entry that no task event is made of. */
export function readEntry(raw: RawEntry): StreamEntry | undefined {
  const [id, fields] = raw;
  let event: string | undefined;
  let jobId: string | undefined;
  let name: string | undefined;
  let prev: string | undefined;
  let delay: string | undefined;
  let returnvalue: string | undefined;
  let failedReason: string | undefined;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1];
    switch (fields[at]) {
      case "event":
        if (value === undefined || !taskEvents.has(value)) return undefined;
        event = value;
        break;
      case "jobId":
        jobId = value;
        break;
      case "name":
        name = value;
        break;
      case "prev":
        prev = value;
        break;
      case "delay":
        delay = value;
        break;
      case "returnvalue":
        returnvalue = value;
        break;
      case "failedReason":
        failedReason = value;
        break;
    }
  }
  const ms = msOf(id);
  if (event === undefined || !jobId || !Number.isSafeInteger(ms)) return undefined;
  return { id, ms, event, jobId, name, prev, delay, returnvalue, failedReason };
}

export function msOf(id: string): number {
  const dash = id.indexOf("-");
  return Number(dash === -1 ? id : id.slice(0, dash));
}

/** Order of two stream ids. Their parts are decimal numbers without leading zeros and may exceed what a double holds. */
export function compareStreamIds(a: string, b: string): number {
  const [aMs = "0", aSequence = "0"] = a.split("-");
  const [bMs = "0", bSequence = "0"] = b.split("-");
  return compareDigits(aMs, bMs) || compareDigits(aSequence, bSequence);
}

/** The id right before this one. */
export function streamIdBefore(id: string): string {
  const [ms = "0", sequence = "0"] = id.split("-");
  if (BigInt(sequence) > 0n) return `${ms}-${BigInt(sequence) - 1n}`;
  return BigInt(ms) > 0n ? `${BigInt(ms) - 1n}-18446744073709551615` : "0-0";
}

function compareDigits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
