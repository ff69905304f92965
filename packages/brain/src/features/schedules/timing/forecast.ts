import { setImmediate as nextTurn } from "node:timers/promises";
import { type Cadence, CadenceError, newestSlot, offsetAt, slotsBetween } from "@svc/cadence";
import { cadenceOf, cadenceOrNull } from "../slots.ts";
import { freeMinute } from "./free-minute.ts";
import type { Forecast } from "./schemas.ts";
import type { Timed } from "./timing-reads.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

export interface ForecastLimits {
  /** Slots that are counted for one cadence. */
  readonly slotsPerCadence: number;
  /** Slots that are counted for all. */
  readonly slots: number;
}

const usualLimits: ForecastLimits = { slotsPerCadence: 50_000, slots: 1_000_000 };
const mostCollisions = 50;
const quarterMinutes = 15;
const quarters = 96;
const namedPerCollision = 10;
/** Cadences that are remembered for a minute, to name their schedules. */
const cadencesPerMinute = 5;
/** Slots between two turns of the event loop. */
const slotsPerTurn = 5000;

const schedulesPerTurn = 200;

/** Schedules that fire at the same slots. */
interface Group {
  readonly cadence: Cadence;
  /** The slot before the first one that counts. */
  readonly base: number;
  readonly definition: Timed;
  readonly members: { readonly id: string; readonly name: string }[];
  count: number;
}

/**
 * Counts the slots of schedules by hour and by quarter of an hour, and finds minutes in which several fire. Schedules with the same slots are computed once.
 *
 * @param isWhole false when there are more schedules than given.
 */
export async function forecast(
  schedules: readonly Timed[],
  given: { readonly now: Date; readonly days: number; readonly timezone: string; readonly isWhole: boolean },
  limits: ForecastLimits = usualLimits,
): Promise<Forecast> {
  const timezone = knownZone(given.timezone);
  const now = given.now.getTime();
  // The same time on clocks, some days later.
  const naive = now + given.days * dayMs;
  const until = naive + offsetAt(timezone, now) - offsetAt(timezone, naive);
  const hours = hourStarts(timezone, now, until);
  const groups = await groupsOf(schedules, now);

  const firesByHour = new Int32Array(hours.length);
  const firesByQuarter = new Int32Array(quarters);
  // All offsets of today's zones are whole quarters of an hour.
  const firstMinute = Math.floor(now / minuteMs / quarterMinutes) * quarterMinutes;
  const minutes = Math.ceil(until / minuteMs) - firstMinute;
  const schedulesByMinute = new Int32Array(minutes);
  const groupsByMinute = new Int32Array(minutes * cadencesPerMinute).fill(-1);
  let left = limits.slots;
  let isCapped = !given.isWhole;
  let sinceTurn = 0;

  for (const [index, { cadence, base, count }] of groups.entries()) {
    let hour = 0;
    let lastMinute = -1;
    let own = Math.min(limits.slotsPerCadence, left);
    for (let slot = cadence.next(base); slot !== null && slot < until; slot = cadence.next(slot)) {
      if (own === 0) {
        isCapped = true;
        break;
      }
      own -= 1;
      left -= 1;
      while (hour + 1 < hours.length && (hours[hour + 1] as number) <= slot) hour += 1;
      firesByHour[hour] = (firesByHour[hour] as number) + count;
      const minute = Math.floor(slot / minuteMs) - firstMinute;
      const quarter = Math.floor(minute / quarterMinutes);
      if (quarter < quarters) firesByQuarter[quarter] = (firesByQuarter[quarter] as number) + count;
      if (minute !== lastMinute) {
        lastMinute = minute;
        schedulesByMinute[minute] = (schedulesByMinute[minute] as number) + count;
        const cells = groupsByMinute.subarray(minute * cadencesPerMinute, (minute + 1) * cadencesPerMinute);
        const free = cells.indexOf(-1);
        if (free >= 0) cells[free] = index;
      }
      sinceTurn += 1;
      if (sinceTurn === slotsPerTurn) {
        sinceTurn = 0;
        await nextTurn();
      }
    }
  }

  const move = createMoves({
    now,
    until,
    isFree: (at) => (schedulesByMinute[Math.floor(at / minuteMs) - firstMinute] ?? 0) === 0,
  });
  const collisions: Forecast["collisions"] = [];
  for (const minute of worstMinutes(schedulesByMinute)) {
    const at = (firstMinute + minute) * minuteMs;
    const remembered = [...groupsByMinute.subarray(minute * cadencesPerMinute, (minute + 1) * cadencesPerMinute)];
    const firing = remembered.flatMap((index) => groups[index] ?? []);
    collisions.push({
      at: new Date(at),
      schedule_count: schedulesByMinute[minute] as number,
      schedules: firing.flatMap(({ members }) => members).slice(0, namedPerCollision),
      move: isCapped ? null : await move(firing, at),
    });
    await nextTurn();
  }

  return {
    from: given.now,
    to: new Date(until),
    timezone,
    schedule_count: schedules.length,
    hours: hours.map((start, index) => ({ ...clockOf(timezone, start), fires: firesByHour[index] as number })),
    quarters: Array.from(firesByQuarter, (fires, quarter) => ({
      starts_at: new Date((firstMinute + quarter * quarterMinutes) * minuteMs),
      fires,
      most_per_minute: Math.max(
        0,
        ...schedulesByMinute.subarray(quarter * quarterMinutes, (quarter + 1) * quarterMinutes),
      ),
    })),
    collisions,
    is_capped: isCapped,
  };
}

/** Moves one schedule of a minute, of those that were remembered; the same answer for all minutes of a schedule. */
function createMoves(given: {
  readonly now: number;
  readonly until: number;
  readonly isFree: (at: number) => boolean;
}) {
  const found = new Map<Group, ReturnType<typeof freeMinute>>();
  // More than an expression with a single minute has in a week.
  const slotsOf = ({ cadence, base }: Group) => slotsBetween(cadence, base, given.until - 1, 24 * 8).slots;
  return async (groups: readonly Group[], at: number): Promise<Forecast["collisions"][number]["move"]> => {
    for (const group of groups) {
      const move = found.get(group) ?? freeMinute(group.definition, { ...given, slots: slotsOf(group) });
      found.set(group, move);
      const { expression, shiftMs } = (await move) ?? {};
      const [member] = group.members;
      if (expression === undefined || shiftMs === undefined || member === undefined) continue;
      return { schedule_id: member.id, expression, at: new Date(at + shiftMs) };
    }
    return null;
  };
}

/** A zone that the bundled database does not have is shown in UTC. */
function knownZone(timezone: string): string {
  try {
    offsetAt(timezone, 0);
    return timezone;
  } catch (error) {
    if (error instanceof CadenceError) return "UTC";
    throw error;
  }
}

/** When the hours of clocks in a zone start: the current one, and all until `until`. */
function hourStarts(timezone: string, now: number, until: number): number[] {
  const everyHour = cadenceOf({ kind: "cron", expression: "0 * * * *", timezone });
  const { slots } = slotsBetween(everyHour, now - 2 * hourMs, until - 1, 24 * 8 + 4);
  const current = slots.findLastIndex((slot) => slot <= now);
  return slots.slice(Math.max(current, 0));
}

function clockOf(timezone: string, at: number) {
  const local = new Date(at + offsetAt(timezone, at));
  return { starts_at: new Date(at), date: local.toISOString().slice(0, 10), hour: local.getUTCHours() };
}

/** Intervals that do not have the same phase are different slots; others depend on their definition only. */
async function groupsOf(schedules: readonly Timed[], now: number): Promise<Group[]> {
  const groups = new Map<string, Group>();
  for (const [index, schedule] of schedules.entries()) {
    if (index % schedulesPerTurn === schedulesPerTurn - 1) await nextTurn();
    const { kind, expression, timezone, id, name } = schedule;
    const cadence = cadenceOrNull(schedule);
    if (cadence === null) continue;
    const base = baseOf(cadence, schedule, now);
    const key = `${kind}\n${timezone}\n${expression}${kind === "interval" ? `\n${base}` : ""}`;
    const group = groups.get(key) ?? { cadence, base, definition: schedule, members: [], count: 0 };
    groups.set(key, group);
    group.count += 1;
    if (group.members.length < namedPerCollision) group.members.push({ id, name });
  }
  return [...groups.values()];
}

/** The instant from which the next slot counts: an interval continues from its stored slot, even when that is overdue. */
function baseOf(cadence: Cadence, { next_run_at: next }: Timed, now: number): number {
  if (cadence.kind !== "interval" || next === null) return now;
  const stepMs = cadence.next(0) as number;
  const before = next.getTime() - stepMs;
  return newestSlot(cadence, before, now) ?? before;
}

/** Minutes with at least two schedules: those with the most first, then the earliest. */
function worstMinutes(schedulesByMinute: Int32Array): number[] {
  const found: number[] = [];
  for (const [minute, count] of schedulesByMinute.entries()) if (count > 1) found.push(minute);
  const countOf = (minute: number) => schedulesByMinute[minute] as number;
  return found.sort((one, two) => countOf(two) - countOf(one) || one - two).slice(0, mostCollisions);
}
