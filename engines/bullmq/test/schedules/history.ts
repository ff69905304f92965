import { waitFor } from "@svc/testkit";
import { expect } from "vitest";
import { type Created, type Fire, jobOf, type Site, settle } from "./scheduled-site.ts";

/**
 * Disables the schedules and checks that the history is exact: one fire per slot from the first one on, one job for each acknowledged fire,
 * and no other job.
 *
 * A fire that was on its way when a process was killed may have another outcome, because an agent that receives it over a socket gets it
 * only once. Its job, if there is one, is its only one. @param interruptedUntil the end of the last kill; null when nothing was killed.
 */
export async function expectExactHistory(
  site: Site,
  schedules: readonly Created[],
  interruptedUntil: Date | null,
): Promise<void> {
  const isInterrupted = ({ status, dispatched_at }: Fire) =>
    status !== "acked_success" &&
    interruptedUntil !== null &&
    dispatched_at !== null &&
    new Date(dispatched_at) <= interruptedUntil;
  const settled = await settle(site, schedules, isInterrupted);
  const certain: string[] = [];
  const uncertain = new Set<string>();
  const dataOf = new Map<string, unknown>();
  for (const [index, { schedule, fires }] of settled.entries()) {
    const first = Date.parse(schedules[index]?.next_run_at ?? "");
    const slots = fires.map((_, at) => new Date(first + at * 1000).toISOString());
    expect(fires.map(({ scheduled_for }) => scheduled_for)).toEqual(slots);
    expect(schedule).toMatchObject({ total_runs: fires.length, last_run_at: slots.at(-1), skipped_slots_24h: 0 });
    for (const fire of fires) {
      dataOf.set(jobOf(fire.fire_id), { name: schedule.name });
      if (isInterrupted(fire)) {
        expect(["delivered", "acked_failed", "terminal_timeout"]).toContain(fire.status);
        uncertain.add(jobOf(fire.fire_id));
        continue;
      }
      const acked = { error_code: null, latency_ms: expect.any(Number), task_id: site.taskOf(fire) };
      expect(fire).toMatchObject({ status: "acked_success", ...acked });
      certain.push(jobOf(fire.fire_id));
    }
  }
  await waitFor(() => certain.every((job) => site.ran.some(({ id }) => id === job)), { that: "a run of every job" });
  const ran = site.ran.map(({ id }) => id ?? "");
  expect(ran.filter((job) => !uncertain.has(job)).sort()).toEqual(certain.sort());
  expect(new Set(ran).size).toBe(ran.length);
  for (const { id, data } of site.ran) expect(data).toEqual(dataOf.get(id ?? ""));
  expect((await site.api.get(`${site.base}/misfires`)).body).toEqual([]);
}
