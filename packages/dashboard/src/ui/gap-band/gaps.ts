import { type CompletenessGap, plural } from "@svc/client";
import { printable } from "../time/format.ts";

/** A time range in which an agent lost records. */
export interface LossGap {
  agentId: string;
  agentName: string;
  fromMs: number;
  toMs: number;
  events: number;
  /** Frames that are not events; never added to `events`. */
  otherFrames: number;
  reason: CompletenessGap["reason"];
}

/** Gaps at the same position, newest end first. */
export interface GapGroup {
  key: string;
  fromMs: number;
  toMs: number;
  gaps: readonly LossGap[];
}

/** A hatched range of a chart. */
export interface ChartGap {
  fromMs: number;
  toMs: number;
  label: string;
}

/** The gaps of a response, newest end first. */
export function readGaps(gaps: readonly CompletenessGap[]): LossGap[] {
  return gaps
    .map((gap) => ({
      agentId: gap.agent_id,
      agentName: gap.agent_name,
      fromMs: Date.parse(gap.from),
      toMs: Date.parse(gap.to),
      events: gap.event_records,
      otherFrames: gap.other_frames,
      reason: gap.reason,
    }))
    .filter(({ fromMs, toMs }) => fromMs <= toMs)
    .sort(newestEndFirst);
}

const newestEndFirst = (a: LossGap, b: LossGap) => b.toMs - a.toMs || b.fromMs - a.fromMs;

interface ListEdge {
  /** When the row at an index was received; rows are sorted newest first. */
  receivedMs: (index: number) => number;
  rowCount: number;
  /** Whether older rows exist that are not loaded, so that the position of their gaps is unknown. */
  hasOlder: boolean;
}

const nothing: ReadonlyMap<number, GapGroup> = new Map();

/**
 * The positions of the bands in a list, by the index of the row after them, or `rowCount` at the end. A gap is placed above the first row
 * received no later than its end; gaps at the same position share a band.
 */
export function placeGaps(
  gaps: readonly LossGap[],
  { receivedMs, rowCount, hasOlder }: ListEdge,
): ReadonlyMap<number, GapGroup> {
  if (gaps.length === 0 || rowCount === 0) return nothing;
  const byPlace = new Map<number, LossGap[]>();
  for (const gap of gaps) {
    const place = firstAtOrBefore(gap.toMs, receivedMs, rowCount);
    if (place === rowCount && hasOlder) continue;
    byPlace.set(place, [...(byPlace.get(place) ?? []), gap]);
  }
  return new Map([...byPlace].map(([place, group]) => [place, groupOf(group)]));
}

function firstAtOrBefore(ms: number, receivedMs: (index: number) => number, rowCount: number): number {
  let newer = 0;
  let older = rowCount;
  while (newer < older) {
    const middle = (newer + older) >> 1;
    if (receivedMs(middle) > ms) newer = middle + 1;
    else older = middle;
  }
  return newer;
}

function groupOf(gaps: readonly LossGap[]): GapGroup {
  const sorted = gaps.toSorted(newestEndFirst);
  const fromMs = Math.min(...sorted.map((gap) => gap.fromMs));
  const toMs = Math.max(...sorted.map((gap) => gap.toMs));
  // The oldest gap stays when newer ones are merged, so the key is stable.
  return { key: `gap ${fromMs} ${sorted.at(-1)?.agentId ?? ""}`, fromMs, toMs, gaps: sorted };
}

/**
 * The hatched ranges of a chart of [fromMs, toMs], oldest first: gaps that overlap or are closer than `joinMs` are merged, and all are
 * clipped to the chart.
 */
export function chartGaps(
  gaps: readonly LossGap[],
  range: { fromMs: number; toMs: number; joinMs?: number },
): ChartGap[] {
  const { joinMs = 0 } = range;
  return stretches(gapsWithin(gaps, range.fromMs, range.toMs), joinMs).map((members) => {
    const group = groupOf(members);
    return {
      fromMs: Math.max(range.fromMs, group.fromMs),
      toMs: Math.min(range.toMs, group.toMs),
      label: `${lostText(group)}, ${whoText(group)}, ${whyText(group)}`,
    };
  });
}

function stretches(gaps: readonly LossGap[], joinMs: number): LossGap[][] {
  const found: { toMs: number; members: LossGap[] }[] = [];
  for (const gap of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = found.at(-1);
    if (last !== undefined && gap.fromMs <= last.toMs + joinMs) {
      last.members.push(gap);
      last.toMs = Math.max(last.toMs, gap.toMs);
    } else found.push({ toMs: gap.toMs, members: [gap] });
  }
  return found.map(({ members }) => members);
}

/** Bands of gaps no more than `joinMs` apart, newest first, for a list of losses. */
export function gapGroups(gaps: readonly LossGap[], joinMs: number): GapGroup[] {
  return stretches(gaps, joinMs).map(groupOf).reverse();
}

/** Gaps in which something of [fromMs, toMs] may be missing. */
export function gapsWithin(gaps: readonly LossGap[], fromMs: number, toMs: number): LossGap[] {
  return gaps.filter((gap) => gap.toMs >= fromMs && gap.fromMs <= toMs);
}

/** `31 events lost`, `31 events and 2 other frames lost`. */
export function lostText({ gaps }: Pick<GapGroup, "gaps">): string {
  const events = gaps.reduce((sum, gap) => sum + gap.events, 0);
  const frames = gaps.reduce((sum, gap) => sum + gap.otherFrames, 0);
  const parts = [
    ...(events > 0 || frames === 0 ? [plural(events, "event")] : []),
    ...(frames > 0 ? [plural(frames, "other frame")] : []),
  ];
  return `${parts.join(" and ")} lost`;
}

/** `agent media-2`, `2 agents`. */
export function whoText({ gaps }: Pick<GapGroup, "gaps">): string {
  const only = onlyAgent({ gaps });
  if (only !== null) return `agent ${printable(only.agentName)}`;
  return plural(new Set(gaps.map((gap) => gap.agentId)).size, "agent");
}

/** The agent of all gaps; null when there are several. */
export function onlyAgent({ gaps }: Pick<GapGroup, "gaps">): LossGap | null {
  const [first] = gaps;
  return first !== undefined && gaps.every((gap) => gap.agentId === first.agentId) ? first : null;
}

const reasonLabels: Record<LossGap["reason"], string> = {
  capacity: "buffer full",
  content: "content refused",
  adapter: "lost before the buffer",
  unknown: "cause not reported",
};

export function whyText({ gaps }: Pick<GapGroup, "gaps">): string {
  return [...new Set(gaps.map((gap) => reasonLabels[gap.reason] ?? reasonLabels.unknown))].join(" or ");
}
