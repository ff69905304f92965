import { setImmediate as nextTurn } from "node:timers/promises";
import { type Cadence, clockWarnings, describeCadence } from "@svc/cadence";
import { days } from "../../../platform/durations.ts";
import { cadenceOrRefusal } from "../definitions/definition.ts";
import { cadenceOrNull } from "../slots.ts";
import { freeMinute } from "./free-minute.ts";
import type { Preview, PreviewQuery } from "./schemas.ts";
import type { Timed } from "./timing-reads.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const namedPerMinute = 10;
const schedulesPerTurn = 200;

/**
 * What an expression means, and which of the other schedules fire in the same minutes.
 *
 * @param others at most as many as fit in memory; `isWhole` says whether these are all.
 * @throws ApiError `validation_error` with details.reason and details.field
 */
export async function preview(
  query: PreviewQuery,
  { now, others, isWhole }: { readonly now: Date; readonly others: readonly Timed[]; readonly isWhole: boolean },
): Promise<Preview> {
  const kind = typeof query.kind === "string" ? query.kind : "";
  const definition = { kind, expression: query.expression, timezone: query.timezone || "UTC" };
  const cadence = cadenceOrRefusal({ ...definition, is_enabled: true }, now, "query");
  const runs: number[] = [];
  let slot = cadence.next(now.getTime());
  for (; slot !== null && runs.length < query.count; slot = cadence.next(slot)) runs.push(slot);
  const inYear = now.getTime() + days(365);
  const compared = others.filter(({ id }) => id !== query.schedule_id?.toLowerCase());
  const same_minute = await sameMinutes([...new Set(runs.map(minuteOf))], compared);
  const [clash] = same_minute;
  return {
    description: describeCadence(definition),
    next_runs: runs.map((at) => new Date(at)),
    warnings: clockWarnings(definition, now.getTime(), inYear).map(({ wallTime, at, ...warning }) => ({
      ...warning,
      at: new Date(at),
      local_time: wallTime,
    })),
    same_minute,
    move:
      clash && isWhole
        ? await moveOf(definition, { runs, now: now.getTime(), at: new Date(clash.at) }, compared)
        : null,
    is_capped: !isWhole,
  };
}

const minuteOf = (at: number): number => Math.floor(at / minuteMs) * minuteMs;

/** A minute of the hour in which no other schedule fires at the next slots. */
async function moveOf(
  definition: Pick<Timed, "kind" | "expression" | "timezone">,
  { runs, now, at }: { readonly runs: readonly number[]; readonly now: number; readonly at: Date },
  others: readonly Timed[],
): Promise<Preview["move"]> {
  const busy = new Map<number, Promise<ReadonlySet<number>>>();
  const isFree = async (instant: number) => {
    const hour = Math.floor(instant / hourMs) * hourMs;
    const minutes = busy.get(hour) ?? busyMinutes(hour, others);
    busy.set(hour, minutes);
    return !(await minutes).has(minuteOf(instant));
  };
  const until = (runs.at(-1) ?? now) + hourMs;
  const move = await freeMinute(definition, { slots: runs, now, until, isFree });
  return move && { expression: move.expression, at: new Date(at.getTime() + move.shiftMs) };
}

/** The minutes of an hour in which one of the schedules fires. */
async function busyMinutes(hour: number, schedules: readonly Timed[]): Promise<ReadonlySet<number>> {
  const minutes = new Set<number>();
  for (const [index, schedule] of schedules.entries()) {
    if (index % schedulesPerTurn === schedulesPerTurn - 1) await nextTurn();
    for (let at = firstIn(schedule, hour, hour + hourMs); at !== null; ) {
      minutes.add(minuteOf(at));
      at = firstIn(schedule, minuteOf(at) + minuteMs, hour + hourMs);
    }
  }
  return minutes;
}

async function sameMinutes(minutes: readonly number[], others: readonly Timed[]): Promise<Preview["same_minute"]> {
  const found = minutes.map((start) => ({
    at: new Date(start),
    schedule_count: 0,
    schedules: [] as { id: string; name: string }[],
  }));
  for (const [index, other] of others.entries()) {
    if (index % schedulesPerTurn === schedulesPerTurn - 1) await nextTurn();
    for (const minute of found) {
      const start = minute.at.getTime();
      if (firstIn(other, start, start + minuteMs) === null) continue;
      minute.schedule_count += 1;
      if (minute.schedules.length < namedPerMinute) minute.schedules.push({ id: other.id, name: other.name });
    }
  }
  return found.filter(({ schedule_count }) => schedule_count > 0);
}

/** The first slot of a schedule from `start` on and before `end`, from its stored slot on; null without one. */
function firstIn(schedule: Timed, start: number, end: number): number | null {
  const next = schedule.next_run_at?.getTime() ?? 0;
  if (next >= start) return next < end ? next : null;
  const cadence = cadenceOrNull(schedule);
  if (cadence === null) return null;
  const slot = cadence.kind === "interval" ? firstOfInterval(cadence, next, start) : cadence.next(start - 1);
  return slot !== null && slot < end ? slot : null;
}

function firstOfInterval(cadence: Cadence, next: number, start: number): number {
  const stepMs = cadence.next(0) as number;
  return next + Math.ceil((start - next) / stepMs) * stepMs;
}
