import { type Cadence, newestSlot, slotsBetween } from "@svc/cadence";

/** Slots that one move of the cursor counts at most. */
export const maxSkipped = 10_000;
/** Missed slots that are fired in a row at most. */
export const maxReplayed = 10_000;

/** What a plan needs to know of a schedule. Instants are in milliseconds since 1970. */
export interface Planned {
  readonly nextRunAt: number | null;
  readonly catchUp: string;
  /** Missed slots fired in a row so far. */
  readonly replayed: number;
  /** The missed slot that was chosen as the one to fire. */
  readonly chosenSlot: number | null;
}

export type Step =
  | { readonly kind: "wait" }
  /** Fire `slot`; `next` follows it. */
  | { readonly kind: "fire"; readonly slot: number; readonly next: number | null; readonly isMissed: boolean }
  /** Move the cursor from `slot` past `through` to `next`. `chosen`: the next slot is then the one to fire. */
  | {
      readonly kind: "advance";
      readonly slot: number;
      readonly through: number;
      /** Slots from `slot` to `through`, at most 10,000. */
      readonly skipped: number;
      readonly next: number | null;
      readonly chosen: boolean;
    };

/**
 * The next step of a schedule at `now`. A slot is missed once more than `missedAfterMs` have passed since its time. skip: move past all
 * missed slots. fire_one_missed: move to the newest missed slot and fire that. fire_all_missed: fire each missed slot, oldest first, at most
 * 10,000, then move past the rest. Slots that are not missed are always fired.
 */
export function planStep(schedule: Planned, cadence: Cadence, now: number, missedAfterMs: number): Step {
  const { nextRunAt: slot, catchUp, replayed, chosenSlot } = schedule;
  if (slot === null || slot > now) return { kind: "wait" };
  /** Slots before this instant are missed. */
  const missedBefore = now - missedAfterMs;
  const fire = (isMissed: boolean): Step => ({ kind: "fire", slot, next: cadence.next(slot), isMissed });
  if (slot >= missedBefore) return fire(false);
  if (catchUp === "fire_all_missed" && replayed < maxReplayed) return fire(true);
  if (catchUp === "fire_one_missed" && chosenSlot === slot) return fire(true);

  const newest = newestSlot(cadence, slot, missedBefore - 1) ?? slot;
  if (catchUp !== "fire_one_missed") return advance(slot, newest, cadence);
  if (newest === slot) return fire(true);
  return { ...advance(slot, newestSlot(cadence, slot, newest - 1) ?? slot, cadence), chosen: true };
}

function advance(slot: number, through: number, cadence: Cadence): Step & { kind: "advance" } {
  const skipped = countSlots(cadence, slot, through);
  return { kind: "advance", slot, through, skipped, next: cadence.next(through), chosen: false };
}

/** Slots from `first` to `last`, both included, at most 10,000. */
function countSlots(cadence: Cadence, first: number, last: number): number {
  if (cadence.kind === "interval") {
    const stepMs = (cadence.next(first) ?? last) - first;
    return Math.min(maxSkipped, Math.round((last - first) / stepMs) + 1);
  }
  return 1 + slotsBetween(cadence, first, last, maxSkipped - 1).slots.length;
}
