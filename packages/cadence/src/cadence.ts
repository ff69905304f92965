import { CadenceError } from "./cadence-error.ts";
import { readInstantIn } from "./clocked.ts";
import { compileCron } from "./cron/cron.ts";
import { readInterval } from "./interval.ts";
import { nextSolar, readSolar } from "./solar.ts";
import { findZone, tzdbRelease } from "./zones/zone.ts";

export const cadenceKinds = ["cron", "interval", "clocked", "solar"] as const;
export type CadenceKind = (typeof cadenceKinds)[number];

/** Names the rules and the time-zone data. Processes whose fingerprints differ may compute different slots. */
export const cadenceFingerprint = `svc-cadence/1;tzdb=${tzdbRelease}`;

export interface CadenceDefinition {
  readonly kind: string;
  readonly expression: string;
  /** A name of the time-zone database; empty for UTC. */
  readonly timezone: string;
}

/** When a schedule fires. Instants are in milliseconds since 1970. */
export interface Cadence {
  readonly kind: CadenceKind;
  /** The first slot after `after`; null if none follows. Intervals count from `after`, which must be a slot or the time of enabling. */
  next(after: number): number | null;
}

/**
 * Compiles the definition of a schedule.
 *
 * @throws CadenceError with the field that is wrong. An expression that never matches is refused by `requireSlot` only.
 */
export function compileCadence({ kind, expression, timezone }: CadenceDefinition): Cadence {
  const zone = findZone(timezone);
  switch (kind) {
    case "cron": {
      const next = compileCron(expression, zone);
      return { kind, next: inMilliseconds(next) };
    }
    case "interval": {
      const stepMs = readInterval(expression) * 1000;
      return { kind, next: (after) => after + stepMs };
    }
    case "clocked": {
      const instant = readInstantIn(expression, zone);
      return { kind, next: (after) => (instant > after ? instant : null) };
    }
    case "solar": {
      const place = readSolar(expression);
      return { kind, next: inMilliseconds((after) => nextSolar(place, after)) };
    }
    default:
      throw new CadenceError("invalid_kind", `the kind is one of ${cadenceKinds.join(", ")}`);
  }
}

/** The first slot after `now`. @throws CadenceError `never_matches` if none follows within eight years, or within a year for solar ones */
export function requireSlot(cadence: Cadence, now: number): number {
  const slot = cadence.next(now);
  if (slot !== null) return slot;
  throw new CadenceError(
    "never_matches",
    cadence.kind === "clocked"
      ? "the instant is in the past"
      : cadence.kind === "solar"
        ? "the event does not occur at this place within a year"
        : "no date within eight years matches the expression",
  );
}

/** Slots are whole seconds, so the first one after a millisecond is the first one after its second. */
const inMilliseconds = (next: (after: number) => number | null) => (after: number) => {
  const second = next(Math.floor(after / 1000));
  return second === null ? null : second * 1000;
};

export interface Slots {
  readonly slots: readonly number[];
  /** Whether there are more than `cap`. */
  readonly isCapped: boolean;
}

/** The slots after `after` up to and including `until`, oldest first, at most `cap`. */
export function slotsBetween(cadence: Cadence, after: number, until: number, cap: number): Slots {
  const slots: number[] = [];
  for (let slot = cadence.next(after); slot !== null && slot <= until; slot = cadence.next(slot)) {
    if (slots.length === cap) return { slots, isCapped: true };
    slots.push(slot);
  }
  return { slots, isCapped: false };
}

/** The newest slot after `after` up to and including `until`, without walking through those before it; null if none is. */
export function newestSlot(cadence: Cadence, after: number, until: number): number | null {
  const first = cadence.next(after);
  if (first === null || first > until) return null;
  if (cadence.kind === "interval") {
    const stepMs = first - after;
    return after + Math.floor((until - after) / stepMs) * stepMs;
  }
  // `next(at)` is in the range exactly for every `at` before the newest slot, so that halving the range finds it.
  let [before, from] = [after, until];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    const slot = cadence.next(middle);
    if (slot !== null && slot <= until) before = middle;
    else from = middle;
  }
  return cadence.next(before);
}
