import type { TaskState, TaskTreeNode } from "@svc/client";
import type { Attempt } from "../attempts/attempts.ts";

export interface FamilyRow {
  /** Unique within the family. */
  key: string;
  node: TaskTreeNode;
  depth: number;
  /** Position from 1 among its siblings, and the number of siblings including itself. */
  place: number;
  siblings: number;
  hasChildren: boolean;
  isThis: boolean;
  isCritical: boolean;
  /** `startMs` is null before the start, `endMs` before the end. */
  fromMs: number;
  startMs: number | null;
  endMs: number | null;
}

interface Timed {
  node: TaskTreeNode;
  parent: Timed | undefined;
  children: Timed[];
}

const nodeKey = (engine: string, taskId: string) => `${engine} ${taskId}`;

/** The tree as a flat list: each parent before its children, siblings by time. */
export function familyRows(nodes: readonly TaskTreeNode[], engine: string, taskId: string): FamilyRow[] {
  const entries = nodes.map((node): Timed => ({ node, parent: undefined, children: [] }));
  const byAddress = new Map(entries.map((entry) => [nodeKey(entry.node.engine, entry.node.task_id), entry]));
  // A parent is identified by task id alone, as a task may start tasks of another engine.
  const byId = new Map(entries.map((entry) => [entry.node.task_id, entry]));
  const roots: Timed[] = [];
  for (const entry of entries) {
    const { engine, parent_task_id: id } = entry.node;
    const parent = id ? (byAddress.get(nodeKey(engine, id)) ?? byId.get(id)) : undefined;
    // Agents report parents, so cycles are possible; the task that would close one becomes a root.
    if (parent && !isAbove(entry, parent)) {
      entry.parent = parent;
      parent.children.push(entry);
    } else roots.push(entry);
  }
  const critical = criticalPath(roots);
  const rows: FamilyRow[] = [];
  const inPlace = (entries: readonly Timed[], depth: number) =>
    entries.map((entry, at) => ({ entry, depth, place: at + 1, siblings: entries.length })).reverse();
  const pending = inPlace(roots, 0);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { entry, depth, place, siblings } = next;
    const { node } = entry;
    rows.push({
      key: nodeKey(node.engine, node.task_id),
      node,
      depth,
      place,
      siblings,
      hasChildren: entry.children.length > 0,
      isThis: nodeKey(node.engine, node.task_id) === nodeKey(engine, taskId),
      isCritical: critical.has(entry),
      fromMs: time(node.received_at) ?? time(node.started_at) ?? 0,
      startMs: time(node.started_at),
      endMs: time(node.finished_at),
    });
    pending.push(...inPlace(entry.children, depth + 1));
  }
  return rows;
}

/** The rows that are not below a collapsed row. */
export function visibleRows(rows: readonly FamilyRow[], folded: ReadonlySet<string>): FamilyRow[] {
  let hiddenBelow = Number.POSITIVE_INFINITY;
  return rows.filter((row) => {
    if (row.depth > hiddenBelow) return false;
    hiddenBelow = folded.has(row.key) ? row.depth : Number.POSITIVE_INFINITY;
    return true;
  });
}

export type TreeStep = { to: FamilyRow } | { flip: FamilyRow } | { open: FamilyRow };

/** What a key does on a row, following the ARIA treegrid pattern; null for keys it doesn't define. */
export function treeStep(
  rows: readonly FamilyRow[],
  at: number,
  key: string,
  folded: ReadonlySet<string>,
): TreeStep | null {
  const row = rows[at];
  if (!row) return null;
  const go = (to: FamilyRow | undefined): TreeStep => ({ to: to ?? row });
  const isFolded = folded.has(row.key);
  switch (key) {
    case "ArrowDown":
      return go(rows[at + 1]);
    case "ArrowUp":
      return go(rows[at - 1]);
    case "Home":
      return go(rows[0]);
    case "End":
      return go(rows.at(-1));
    case "ArrowRight":
      return row.hasChildren ? (isFolded ? { flip: row } : go(rows[at + 1])) : go(row);
    case "ArrowLeft":
      if (row.hasChildren && !isFolded) return { flip: row };
      return go(rows.findLast((one, index) => index < at && one.depth < row.depth));
    case "Enter":
      return { open: row };
    default:
      return null;
  }
}

/** Whether `entry` is `other` or an ancestor of it. Terminates because the tree has no cycles. */
function isAbove(entry: Timed, other: Timed): boolean {
  for (let at: Timed | undefined = other; at; at = at.parent) if (at === entry) return true;
  return false;
}

/** From the root down, always to the child that finished last: shortening any other task would not have finished the family sooner. */
function criticalPath(roots: readonly Timed[]): Set<Timed> {
  const path = new Set<Timed>();
  let level = roots;
  while (level.length > 0) {
    const last = level.reduce((a, b) => (endOf(b) >= endOf(a) ? b : a));
    if (path.has(last)) break;
    path.add(last);
    level = last.children;
  }
  return path.size > 1 ? path : new Set();
}

function endOf({ node }: Timed): number {
  return time(node.finished_at) ?? Number.POSITIVE_INFINITY;
}

function time(text: string | null | undefined): number | null {
  return text ? Date.parse(text) : null;
}

/** A run of the task itself, whose events have more detail than the family. */
export interface Run {
  fromMs: number;
  toMs: number;
  state: TaskState;
}

/** The runs of a task with several attempts; an unfinished one lasts until `now`. Attempts without a reported start are left out. */
export function runsOf(attempts: readonly Attempt[], now: number): Run[] {
  const runs = attempts.flatMap(({ startedAt, endedAt, state }) =>
    startedAt === null ? [] : [{ fromMs: startedAt, toMs: Math.max(startedAt, endedAt ?? now), state }],
  );
  return runs.length > 1 ? runs : [];
}

export interface TimeScale {
  fromMs: number;
  toMs: number;
  /** 0 to 100. */
  at(ms: number): number;
  /** Idle spans drawn as a narrow break, with their place in percent. */
  breaks: { fromMs: number; toMs: number; at: number }[];
}

const breakWidth = 1.5;

/** A time scale that collapses idle gaps longer than a fifth of the total. */
export function foldedScale(rows: readonly FamilyRow[], now: number): TimeScale {
  const spans = rows
    .map((row) => ({ from: row.fromMs, to: Math.max(row.fromMs, row.endMs ?? now) }))
    .sort((a, b) => a.from - b.from);
  const fromMs = spans[0]?.from ?? now;
  const toMs = Math.max(fromMs + 1, ...spans.map((span) => span.to));
  // Waiting is not activity, so a gap may be collapsed while tasks wait. Only runs and the times of receipt count.
  const work = rows
    .flatMap((row) =>
      row.startMs === null
        ? [{ from: row.fromMs, to: row.fromMs }]
        : [
            { from: row.startMs, to: row.endMs ?? now },
            { from: row.fromMs, to: row.fromMs },
          ],
    )
    .sort((a, b) => a.from - b.from);
  const gaps: { fromMs: number; toMs: number }[] = [];
  let busyUntil = fromMs;
  for (const span of work) {
    if (span.from - busyUntil > (toMs - fromMs) / 5) gaps.push({ fromMs: busyUntil, toMs: span.from });
    busyUntil = Math.max(busyUntil, span.to);
  }
  const folded = gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const perMs = (100 - gaps.length * breakWidth) / Math.max(1, toMs - fromMs - folded);

  const at = (ms: number) => {
    let percent = 0;
    let cursor = fromMs;
    for (const gap of gaps) {
      if (ms <= gap.fromMs) break;
      percent += (gap.fromMs - cursor) * perMs;
      if (ms < gap.toMs) return percent + (breakWidth * (ms - gap.fromMs)) / (gap.toMs - gap.fromMs);
      percent += breakWidth;
      cursor = gap.toMs;
    }
    return Math.min(100, Math.max(0, percent + (ms - cursor) * perMs));
  };
  return { fromMs, toMs, at, breaks: gaps.map((gap) => ({ ...gap, at: at(gap.fromMs) })) };
}
