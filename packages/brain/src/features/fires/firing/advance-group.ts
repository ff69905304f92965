import type { Tx } from "../../../platform/database/database.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { Core, ScheduleRow, ScheduleSkipRow, Tables } from "../../../schema/tables/index.ts";
import { type AdvanceAnswer, type AdvanceRequest, InvalidFireRequest } from "../requests.ts";
import { decideAdvance } from "./decide.ts";
import { insertSkips, lockForFires, updateCursors } from "./fire-store.ts";

/** The answer to a request, or why it is invalid. */
export type AdvanceOutcome = AdvanceAnswer | InvalidFireRequest;

/** Decides requests in their order and moves the cursors, in the caller's transaction, which must not be shared. */
export async function advanceGroup(
  tx: Tx<Tables>,
  { clock }: Pick<Core, "clock">,
  requests: readonly AdvanceRequest[],
): Promise<{ readonly outcomes: readonly AdvanceOutcome[]; readonly moved: readonly ScheduleRow[] }> {
  const now = clock.now();
  const schedules = await lockForFires(tx, [...new Set(requests.map(({ scheduleId }) => scheduleId))]);
  const movedIds = new Set<string>();
  const skips: ScheduleSkipRow[] = [];
  const outcomes = requests.map((request): AdvanceOutcome => {
    const locked = schedules.get(request.scheduleId);
    const verdict = decideAdvance(request, locked);
    if (verdict.kind === "invalid") return new InvalidFireRequest(verdict.reason);
    if (verdict.kind !== "applied") {
      const { disposition, live } = verdict;
      return { disposition, nextRunAt: live?.next_run_at ?? null, live: verdict.kind === "idempotent" ? null : live };
    }
    const { row, next } = verdict;
    schedules.set(row.id, { row: { ...row, next_run_at: next }, isProjectActive: true });
    movedIds.add(row.id);
    if (request.skippedCount > 0) {
      const of = { project_id: row.project_id, schedule_id: row.id };
      skips.push({ id: uuidV7(clock), ...of, skipped_at: now, count: request.skippedCount });
    }
    return { disposition: "ADVANCE_APPLIED", nextRunAt: next, live: null };
  });
  const moved = [...movedIds].flatMap((id) => schedules.get(id)?.row ?? []);
  await updateCursors(tx, moved);
  await insertSkips(tx, skips);
  return { outcomes, moved };
}
