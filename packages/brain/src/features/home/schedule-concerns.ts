import { hours } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { Concern } from "./health.ts";
import { disabledAmong, recentMisfires, trippedSchedules } from "./schedule-reads.ts";

/** Misfires and trips of the circuit breaker need attention for this long. */
const attentionMs = hours(24);
/** Limits of a summary's cost: misfires counted in each project, and trips read in all. */
const maxMisfires = 1000;
const maxTrips = 1000;

/** What needs attention in the schedules of each project; projects without anything are absent. */
export async function scheduleConcerns(
  { slow }: Pick<BrainDatabase, "slow">,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, Concern[]>> {
  const concerns = new Map<string, Concern[]>();
  if (ids.length === 0) return concerns;
  const add = (projectId: string, concern: Concern) =>
    concerns.set(projectId, [...(concerns.get(projectId) ?? []), concern]);
  const from = new Date(now.getTime() - attentionMs);
  const [misfires, tripped] = await Promise.all([
    recentMisfires(slow, ids, from, maxMisfires),
    trippedSchedules(slow, ids, from, maxTrips),
  ]);
  const disabled = tripped.length === 0 ? [] : await disabledAmong(slow, tripped);
  for (const { project_id, count } of disabled) add(project_id, breakerConcern(count));
  for (const { project_id, count } of misfires) if (count > 0) add(project_id, misfireConcern(count));
  return concerns;
}

const breakerConcern = (count: number): Concern => ({
  kind: "breaker_tripped",
  severity: "critical",
  message: `${count === 1 ? "1 schedule was" : `${shown(count)} schedules were`} disabled after repeated failures in the last 24 hours.`,
  count,
});

const misfireConcern = (count: number): Concern => ({
  kind: "misfires",
  severity: "warning",
  message: `${count === maxMisfires ? "At least " : ""}${shown(count)} ${count === 1 ? "run of a schedule was" : "runs of schedules were"} missed, late or too long in the last 24 hours.`,
  count,
});

const shown = (count: number): string => count.toLocaleString("en-US");
