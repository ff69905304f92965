import { setImmediate as nextTurn } from "node:timers/promises";
import { clockWarnings, describeCadence } from "@svc/cadence";
import { days } from "../../../platform/durations.ts";
import { cadenceOrRefusal } from "../definitions/definition.ts";
import { cadenceOrNull } from "../slots.ts";
import type { Preview, PreviewQuery } from "./schemas.ts";
import type { Timed } from "./timing-reads.ts";

const minuteMs = 60_000;
const namesPerMinute = 10;
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
  return {
    description: describeCadence(definition),
    next_runs: runs.map((at) => new Date(at)),
    warnings: clockWarnings(definition, now.getTime(), inYear).map(({ wallTime, at, ...warning }) => ({
      ...warning,
      at: new Date(at),
      local_time: wallTime,
    })),
    same_minute: await sameMinutes(
      [...new Set(runs.map((at) => Math.floor(at / minuteMs) * minuteMs))],
      others.filter(({ id }) => id !== query.schedule_id?.toLowerCase()),
    ),
    is_capped: !isWhole,
  };
}

async function sameMinutes(minutes: readonly number[], others: readonly Timed[]): Promise<Preview["same_minute"]> {
  const found = minutes.map((start) => ({ at: new Date(start), schedule_count: 0, names: [] as string[] }));
  for (const [index, other] of others.entries()) {
    if (index % schedulesPerTurn === schedulesPerTurn - 1) await nextTurn();
    for (const minute of found) {
      if (!firesIn(other, minute.at.getTime())) continue;
      minute.schedule_count += 1;
      if (minute.names.length < namesPerMinute) minute.names.push(other.name);
    }
  }
  return found.filter(({ schedule_count }) => schedule_count > 0);
}

/** Whether a schedule has a slot in the minute after `start`, from its stored slot on. */
function firesIn(schedule: Timed, start: number): boolean {
  const next = schedule.next_run_at?.getTime() ?? 0;
  const end = start + minuteMs;
  if (next >= end) return false;
  if (next >= start) return true;
  const cadence = cadenceOrNull(schedule);
  if (cadence === null) return false;
  if (cadence.kind !== "interval") {
    const slot = cadence.next(start - 1);
    return slot !== null && slot < end;
  }
  const stepMs = cadence.next(0) as number;
  return next + Math.ceil((start - next) / stepMs) * stepMs < end;
}
