import { randomUUID } from "node:crypto";
import { isAfter, type Position } from "./position.ts";
import { type MirroredSchedule, type OwnerState, project, type SnapshotPart } from "./project.ts";
import type { NativeSchedule, ScheduleReport } from "./report.ts";

/** What is read of a stored row: enough to see whether a report changes it. The digest represents the definition. */
export interface StoredSchedule
  extends Pick<
    NativeSchedule,
    | "name"
    | "definition_digest"
    | "is_enabled"
    | "external_id"
    | "source"
    | "source_hash"
    | "last_run_at"
    | "next_run_at"
    | "total_runs"
  > {
  readonly id: string;
  readonly position: Position;
}

const comparedColumns = [
  ...(["definition_digest", "is_enabled", "external_id", "source", "source_hash"] as const),
  ...(["last_run_at", "next_run_at", "total_runs"] as const),
];

export interface PlannedRow {
  readonly id: string;
  readonly position: Position;
  readonly schedule: NativeSchedule;
}

/** The rows that the reports of one owner change. */
export interface OwnerPlan {
  /** The new floor; null when it stays. */
  readonly floor: Position | null;
  readonly inserted: readonly PlannedRow[];
  readonly updated: readonly PlannedRow[];
  /** Rows that only get a greater position. */
  readonly moved: readonly Omit<PlannedRow, "schedule">[];
  readonly deletedIds: readonly string[];
  readonly tombstones: readonly { readonly name: string; readonly position: Position }[];
  /** Names whose tombstones are removed. */
  readonly revived: readonly string[];
  readonly parts: readonly (SnapshotPart & { readonly snapshotId: string; readonly part: number })[];
  readonly closedSnapshots: readonly string[];
}

/** The state that stored rows represent, for `project`. */
export const rowsOf = (stored: readonly StoredSchedule[]): Map<string, MirroredSchedule> =>
  new Map(stored.map(({ name, position }) => [name, { position, schedule: null }]));

export function planOwner(
  before: OwnerState,
  stored: readonly StoredSchedule[],
  reports: readonly ScheduleReport[],
): OwnerPlan {
  const after = project(before, reports);
  const known = new Map(stored.map((row) => [row.name, row]));
  const inserted: PlannedRow[] = [];
  const updated: PlannedRow[] = [];
  const moved: Omit<PlannedRow, "schedule">[] = [];
  for (const [name, { position, schedule }] of after.rows) {
    if (schedule === null) continue;
    const row = known.get(name);
    if (row === undefined) inserted.push({ id: randomUUID(), position, schedule });
    else if (!isSame(row, schedule)) updated.push({ id: row.id, position, schedule });
    // The floor covers every smaller position.
    else if (isAfter(position, after.floor)) moved.push({ id: row.id, position });
  }
  return {
    floor: after.floor === before.floor ? null : after.floor,
    inserted,
    updated,
    moved,
    deletedIds: stored.filter(({ name }) => !after.rows.has(name)).map(({ id }) => id),
    tombstones: [...after.tombstones]
      .filter(([name, position]) => before.tombstones.get(name) !== position)
      .map(([name, position]) => ({ name, position })),
    revived: [...before.tombstones.keys()].filter((name) => !after.tombstones.has(name)),
    parts: newParts(before, after),
    closedSnapshots: [...before.snapshots.keys()].filter((id) => !after.snapshots.has(id)),
  };
}

const isSame = (row: StoredSchedule, schedule: NativeSchedule): boolean =>
  comparedColumns.every((column) => row[column] === schedule[column]);

const newParts = (before: OwnerState, after: OwnerState): OwnerPlan["parts"] =>
  [...after.snapshots].flatMap(([snapshotId, parts]) =>
    [...parts].flatMap(([part, content]) =>
      before.snapshots.get(snapshotId)?.get(part) === content ? [] : [{ snapshotId, part, ...content }],
    ),
  );

/** What one owner of one project reported. */
export interface OwnerReports {
  readonly projectId: string;
  readonly owner: string;
  readonly reports: readonly ScheduleReport[];
}

/** Reports by project and owner, in the order in which every writer locks their streams. */
export const byOwner = (reports: readonly ScheduleReport[]): OwnerReports[] =>
  [...Map.groupBy(reports, ({ projectId, owner }) => `${projectId} ${owner}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]) => ({ ...ownerOf(own), reports: own }));

const ownerOf = (reports: readonly ScheduleReport[]) => {
  const [{ projectId, owner }] = reports as [ScheduleReport];
  return { projectId, owner };
};

/** Names of schedules and ids of snapshots that the reports concern. */
export function touchedBy(reports: readonly ScheduleReport[]): { names: string[]; snapshots: string[] } {
  const names = new Set<string>();
  const snapshots = new Set<string>();
  for (const { change } of reports) {
    if (change.kind === "upsert") names.add(change.schedule.name);
    else if (change.kind === "delete") names.add(change.name);
    else if (change.kind === "part") snapshots.add(change.snapshotId);
  }
  return { names: [...names], snapshots: [...snapshots] };
}

/** A mirrored schedule whose row changed, for the live hub. */
export interface ChangedSchedule {
  readonly projectId: string;
  readonly id: string;
}

export const changedIn = (projectId: string, { inserted, updated, deletedIds }: OwnerPlan): ChangedSchedule[] =>
  [...inserted.map(({ id }) => id), ...updated.map(({ id }) => id), ...deletedIds].map((id) => ({ projectId, id }));

/** How long a snapshot waits for its other parts. */
export const partsKeptMs = 15 * 60_000;
