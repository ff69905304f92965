export type RawEntry = readonly [id: string, fields: readonly string[]];

/** Events that change a task's state; the others (drained, progress, paused, cleaned, duplicated ...) are ignored. */
// biome-ignore format: a list
const taskEvents = new Set([
  "added", "waiting", "waiting-children", "active", "delayed", "completed", "failed", "removed",
]);

/** One entry of a BullMQ event stream. Redis stamps the id `<ms>-<sequence>` with its own clock. */
export type StreamEntry = NonNullable<ReturnType<typeof readEntry>>;

/** Undefined for an entry that leads to no task event. */
export function readEntry([id, fields]: RawEntry) {
  const values = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) values.set(fields[at] as string, fields[at + 1] as string);
  const event = values.get("event");
  const jobId = values.get("jobId");
  const ms = msOf(id);
  if (event === undefined || !taskEvents.has(event) || !jobId || !Number.isSafeInteger(ms)) return undefined;
  return {
    id,
    ms,
    event,
    jobId,
    name: values.get("name"),
    prev: values.get("prev"),
    delay: values.get("delay"),
    returnvalue: values.get("returnvalue"),
    failedReason: values.get("failedReason"),
  };
}

export function msOf(id: string): number {
  const dash = id.indexOf("-");
  return Number(dash === -1 ? id : id.slice(0, dash));
}

/** Orders two stream ids. Their parts are decimal numbers without leading zeros that may exceed a double's precision. */
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
