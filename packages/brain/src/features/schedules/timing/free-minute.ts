import { cadenceOrNull } from "../slots.ts";

const minuteMs = 60_000;
const minutesPerHour = 60;

/** A cron expression in which the minute is one number. */
const oneMinute = /^([0-5]?\d)(\s+\S+\s+\S+\s+\S+\s+\S+(\s+\d+)?)$/;

interface Definition {
  readonly kind: string;
  readonly expression: string;
  readonly timezone: string;
}

interface Hours {
  /** Its slots until `until`, in milliseconds since 1970. */
  readonly slots: readonly number[];
  readonly now: number;
  readonly until: number;
  /** Whether no schedule fires in the minute of this instant. */
  readonly isFree: (at: number) => boolean | Promise<boolean>;
}

export interface FreeMinute {
  readonly expression: string;
  /** How much later its slots are; negative for earlier. */
  readonly shiftMs: number;
}

/**
 * The same cron expression at the nearest minute of the hour in which nothing fires at any of its slots; later minutes first. Null if there
 * is none, or if the expression does not name a single minute.
 */
export async function freeMinute(definition: Definition, hours: Hours): Promise<FreeMinute | null> {
  const [, minute, rest] = (definition.kind === "cron" && oneMinute.exec(definition.expression.trim())) || [];
  if (minute === undefined) return null;
  const own = Number(minute);
  const later = Array.from({ length: minutesPerHour - 1 - own }, (_, at) => own + 1 + at);
  const earlier = Array.from({ length: own }, (_, at) => own - 1 - at);
  for (const other of [...later, ...earlier]) {
    const found = { expression: `${other}${rest}`, shiftMs: (other - own) * minuteMs };
    // Cheap for most minutes; a change of clocks can move the slots of the new expression elsewhere.
    if ((await areFree(hours.slots, found.shiftMs, hours)) && (await isQuiet({ ...definition, ...found }, hours))) {
      return found;
    }
  }
  return null;
}

/** A slot that would be in the past is not free. */
async function areFree(slots: readonly number[], shiftMs: number, { now, isFree }: Hours): Promise<boolean> {
  for (const slot of slots) if (slot + shiftMs <= now || !(await isFree(slot + shiftMs))) return false;
  return true;
}

async function isQuiet(definition: Definition, { now, until, isFree }: Hours): Promise<boolean> {
  const cadence = cadenceOrNull(definition);
  for (let slot = cadence?.next(now) ?? null; slot !== null && slot < until; slot = cadence?.next(slot) ?? null) {
    if (!(await isFree(slot))) return false;
  }
  return cadence !== null;
}
