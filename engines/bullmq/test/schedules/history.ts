import { waitFor } from "@svc/testkit";
import { expect } from "vitest";
import { type Created, jobOf, type Site, settle } from "./scheduled-site.ts";

/**
 * Disables the schedules and checks that the history is exact: one acknowledged fire per slot from the first one on, one job that ran once
 * for each of them, and no other job.
 */
export async function expectExactHistory(site: Site, schedules: readonly Created[]): Promise<void> {
  const dataOf = new Map<string, unknown>();
  for (const [index, { schedule, fires }] of (await settle(site, schedules)).entries()) {
    const first = Date.parse(schedules[index]?.next_run_at ?? "");
    const slots = fires.map((_, at) => new Date(first + at * 1000).toISOString());
    expect(fires.map(({ scheduled_for }) => scheduled_for)).toEqual(slots);
    expect(schedule).toMatchObject({ total_runs: fires.length, last_run_at: slots.at(-1), skipped_slots_24h: 0 });
    for (const fire of fires) {
      const acked = { error_code: null, latency_ms: expect.any(Number), task_id: site.taskOf(fire) };
      expect(fire).toMatchObject({ status: "acked_success", ...acked });
      dataOf.set(jobOf(fire.fire_id), { name: schedule.name });
    }
  }
  await waitFor(() => site.ran.length >= dataOf.size, { that: "a run of every job" });
  expect(site.ran.map(({ id }) => id).sort()).toEqual([...dataOf.keys()].sort());
  for (const { id, data } of site.ran) expect(data).toEqual(dataOf.get(id ?? ""));
  expect((await site.api.get(`${site.base}/misfires`)).body).toEqual([]);
}
