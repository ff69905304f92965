import { type CadenceDefinition, compileCadence } from "./cadence.ts";
import { findZone } from "./zones/zone.ts";

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. @throws CadenceError `unknown_timezone` */
export const offsetAt = (timezone: string, instant: number): number =>
  findZone(timezone).offsetAt(Math.floor(instant / 1000)) * 1000;

/** A change of clocks that moves or repeats a slot. */
export interface ClockWarning {
  /** skipped: its wall time does not exist, so it fires right after the change; repeated: its wall time occurs twice, and it fires twice. */
  readonly kind: "skipped" | "repeated";
  /** When clocks change, in milliseconds since 1970. */
  readonly at: number;
  /** The first affected wall time, as `2026-03-29T02:30:00`. */
  readonly wallTime: string;
}

const hour = 3600;
const mostWarnings = 20;

/**
 * The changes of clocks after `after` up to `until` that move or repeat slots of a cron expression. Those that fire at least hourly around
 * the change are not concerned: they continue at the same pace.
 *
 * @throws CadenceError like `compileCadence`
 */
export function clockWarnings(definition: CadenceDefinition, after: number, until: number): ClockWarning[] {
  if (definition.kind !== "cron") {
    compileCadence(definition);
    return [];
  }
  const zone = findZone(definition.timezone);
  // Slots by wall time, as if that were UTC.
  const wall = compileCadence({ ...definition, timezone: "UTC" });
  const hasSlot = (from: number, to: number) => {
    const slot = wall.next(from * 1000 - 1);
    return slot !== null && slot < to * 1000;
  };
  const warnings: ClockWarning[] = [];
  let at = zone.changeAfter(Math.floor(after / 1000));
  for (; at * 1000 <= until && warnings.length < mostWarnings; at = zone.changeAfter(at)) {
    const [before, behind] = [zone.offsetAt(at - 1), zone.offsetAt(at)];
    const [first, end] = [at + Math.min(before, behind), at + Math.max(before, behind)];
    const isHourly = hasSlot(first - hour, first) && hasSlot(end, end + hour);
    if (isHourly || !hasSlot(first, end)) continue;
    const slot = wall.next(first * 1000 - 1) as number;
    const wallTime = new Date(slot).toISOString().slice(0, 19);
    warnings.push({ kind: behind > before ? "skipped" : "repeated", at: at * 1000, wallTime });
  }
  return warnings;
}
