import { isAfter, type Position } from "./position.ts";
import type { NativeSchedule, ScheduleChange, ScheduleReport } from "./report.ts";

/** A mirrored schedule. */
export interface MirroredSchedule {
  readonly position: Position;
  /** Null for a row as it is stored. */
  readonly schedule: NativeSchedule | null;
}

export interface SnapshotPart {
  /** How many parts its snapshot has; 0 when two events contradict each other. */
  readonly parts: number;
  readonly position: Position;
  /** Null when they were not read, because the snapshot is incomplete. */
  readonly schedules: readonly NativeSchedule[] | null;
}

/** What is known of the schedules of one owner in one project. Rows and tombstones may be limited to the names that the reports concern. */
export interface OwnerState {
  /** Whether the owner has sent positions in a stream. */
  readonly isSequenced: boolean;
  /** Position of the newest complete snapshot. Changes and snapshots up to it are ignored. */
  readonly floor: Position | null;
  /** By name. */
  readonly rows: ReadonlyMap<string, MirroredSchedule>;
  /** Positions of deletions, by name. */
  readonly tombstones: ReadonlyMap<string, Position>;
  /** Parts of open snapshots, by snapshot and part. */
  readonly snapshots: ReadonlyMap<string, ReadonlyMap<number, SnapshotPart>>;
}

type Draft = {
  isSequenced: boolean;
  floor: Position | null;
  readonly rows: Map<string, MirroredSchedule>;
  readonly tombstones: Map<string, Position>;
  readonly snapshots: Map<string, Map<number, SnapshotPart>>;
};
type Part = Extract<ScheduleChange, { kind: "part" }>;

export const nothingKnown: OwnerState = {
  isSequenced: false,
  floor: null,
  rows: new Map(),
  tombstones: new Map(),
  snapshots: new Map(),
};

/**
 * The state after some reports of the owner. Rows, tombstones above the floor, and the floor depend only on the set of reports, whatever their
 * order, repetition and grouping, as long as each snapshot has one content.
 */
export function project(before: OwnerState, reports: readonly ScheduleReport[]): OwnerState {
  const draft: Draft = {
    isSequenced: before.isSequenced,
    floor: before.floor,
    rows: new Map(before.rows),
    tombstones: new Map(before.tombstones),
    snapshots: new Map([...before.snapshots].map(([id, parts]) => [id, new Map(parts)])),
  };
  for (const { change, isSequenced, position } of reports) {
    if (isSequenced) draft.isSequenced = true;
    if (!isAfter(position, draft.floor)) continue;
    if (change.kind === "upsert") upsert(draft, change.schedule, position);
    else if (change.kind === "delete") remove(draft, change.name, position);
    else if (change.kind === "part") addPart(draft, change, position);
  }
  return draft;
}

const isNewest = ({ rows, tombstones }: Draft, name: string, position: Position): boolean =>
  isAfter(position, rows.get(name)?.position) && isAfter(position, tombstones.get(name));

function upsert(draft: Draft, schedule: NativeSchedule, position: Position): void {
  if (!isNewest(draft, schedule.name, position)) return;
  draft.rows.set(schedule.name, { position, schedule });
  draft.tombstones.delete(schedule.name);
}

function remove(draft: Draft, name: string, position: Position): void {
  if (!isNewest(draft, name, position)) return;
  draft.rows.delete(name);
  draft.tombstones.set(name, position);
}

function addPart(draft: Draft, change: Part, position: Position): void {
  const { snapshotId } = change;
  const parts = draft.snapshots.get(snapshotId) ?? new Map<number, SnapshotPart>();
  addTo(parts, change, position);
  draft.snapshots.set(snapshotId, parts);
  const at = completePosition(parts);
  if (at === null) return;
  draft.snapshots.delete(snapshotId);
  if (isAfter(at, draft.floor)) applySnapshot(draft, parts, at);
}

function addTo(parts: Map<number, SnapshotPart>, { part, parts: count, schedules }: Part, position: Position): void {
  const known = parts.get(part);
  if (known === undefined) parts.set(part, { parts: count, position, schedules });
  else if (known.parts !== count) parts.set(part, { parts: 0, position: known.position, schedules: [] });
}

/** The position of a snapshot whose parts have all arrived: that of its first part. Null while one is missing, and when they contradict. */
function completePosition(parts: ReadonlyMap<number, SnapshotPart>): Position | null {
  const first = parts.get(1);
  if (first === undefined || parts.size !== first.parts) return null;
  return [...parts.values()].every(({ parts: count }) => count === first.parts) ? first.position : null;
}

function applySnapshot(draft: Draft, parts: ReadonlyMap<number, SnapshotPart>, at: Position): void {
  const inOrder = [...parts].sort(([a], [b]) => a - b).flatMap(([, { schedules }]) => schedules ?? []);
  // A schedule that moved while its adapter read page by page may be listed twice. The later one is fresher.
  const listed = new Map(inOrder.map((schedule) => [schedule.name, schedule]));
  for (const [name, { position }] of draft.rows) {
    if (!listed.has(name) && isAfter(at, position)) draft.rows.delete(name);
  }
  for (const schedule of listed.values()) upsert(draft, schedule, at);
  for (const [name, position] of draft.tombstones) {
    if (!isAfter(position, at)) draft.tombstones.delete(name);
  }
  for (const [id, open] of draft.snapshots) {
    if ([...open.values()].every(({ position }) => !isAfter(position, at))) draft.snapshots.delete(id);
  }
  draft.floor = at;
}

/** Snapshots that the reports complete, so that their stored parts and all rows of the owner must be read. */
export function completedBy(before: Pick<OwnerState, "snapshots">, reports: readonly ScheduleReport[]): string[] {
  const touched = new Map<string, Map<number, SnapshotPart>>();
  for (const { change, position } of reports) {
    if (change.kind !== "part") continue;
    const parts = touched.get(change.snapshotId) ?? new Map(before.snapshots.get(change.snapshotId));
    addTo(parts, change, position);
    touched.set(change.snapshotId, parts);
  }
  // Also those that are complete for a while only: a contradicting part may follow in the same batch.
  return [...touched].flatMap(([id, parts]) => (couldBeComplete(parts) ? [id] : []));
}

function couldBeComplete(parts: ReadonlyMap<number, SnapshotPart>): boolean {
  const counts = [...parts.values()].map(({ parts: count }) => count);
  return counts.some((count) => count === 0 || parts.size >= count);
}
