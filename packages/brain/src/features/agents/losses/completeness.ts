import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { TimeRange } from "../../stats/index.ts";
import type { LossReason } from "./losses.ts";
import { lossesWithin } from "./losses-store.ts";

export interface Gap {
  readonly agent_id: string;
  readonly agent_name: string;
  readonly from: Date;
  to: Date;
  event_records: number;
  other_frames: number;
  readonly reason: LossReason;
}

/** Maximum number of intervals that one answer reads; the newest are shown. */
const maxIntervals = 1000;

/**
 * Gaps of a project's agents in a range, in order of time. Adjacent intervals of one agent and reason form one gap. Counts are of whole
 * gaps, even when one begins before the range.
 */
export async function readCompleteness(
  { read }: Pick<BrainDatabase, "read">,
  projectId: string,
  range: TimeRange,
): Promise<{ gaps: Gap[]; is_cut: boolean }> {
  const rows = await lossesWithin(read, projectId, { ...range, limit: maxIntervals + 1 });
  const shown = rows.slice(0, maxIntervals);
  shown.sort((a, b) => a.from_at.getTime() - b.from_at.getTime() || (a.id < b.id ? -1 : 1));
  const gaps: Gap[] = [];
  const open = new Map<string, Gap>();
  for (const { agent_id, agent_name, reason, from_at, to_at, event_records, other_frames } of shown) {
    const key = `${agent_id} ${reason}`;
    const before = open.get(key);
    if (before !== undefined && from_at <= before.to) {
      if (to_at > before.to) before.to = to_at;
      before.event_records += event_records;
      before.other_frames += other_frames;
      continue;
    }
    const gap = {
      agent_id,
      agent_name,
      from: from_at,
      to: to_at,
      event_records,
      other_frames,
      reason: reason as LossReason,
    };
    open.set(key, gap);
    gaps.push(gap);
  }
  return { gaps, is_cut: rows.length > maxIntervals };
}
