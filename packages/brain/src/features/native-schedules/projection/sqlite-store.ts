import type { DatabaseSync } from "node:sqlite";
import {
  byOwner,
  type ChangedSchedule,
  changedIn,
  type OwnerPlan,
  partsKeptMs,
  planOwner,
  rowsOf,
  type StoredSchedule,
  touchedBy,
} from "./plan.ts";
import type { Position } from "./position.ts";
import { completedBy, type OwnerState, type SnapshotPart } from "./project.ts";
import type { NativeSchedule, ScheduleReport } from "./report.ts";

type Row = Record<string, unknown>;

const scheduleColumns = [
  ...([
    "name",
    "engine",
    "task_name",
    "kind",
    "expression",
    "timezone",
    "queue",
    "priority",
    "args",
    "kwargs",
  ] as const),
  ...(["catch_up", "overlap_policy", "external_id", "source", "source_hash", "definition_digest"] as const),
];
const comparedColumns =
  "id, name, definition_digest, is_enabled, external_id, source, source_hash, last_run_at, next_run_at, total_runs, position_epoch, position_sequence, position_event_id";

const microsOf = (ms: number | null): number | null => (ms === null ? null : ms * 1000);
const msOf = (micros: unknown): number | null => (micros === null ? null : Math.floor((micros as number) / 1000));

const positionOf = (row: Row): Position => ({
  epoch: row.position_epoch as number,
  sequence: row.position_sequence as number,
  eventId: row.position_event_id as string,
});
const valuesOf = ({ epoch, sequence, eventId }: Position) => [epoch, sequence, eventId] as const;

const storedOf = (row: Row): StoredSchedule => ({
  ...(row as unknown as StoredSchedule),
  is_enabled: row.is_enabled === 1,
  last_run_at: msOf(row.last_run_at),
  next_run_at: msOf(row.next_run_at),
  position: positionOf(row),
});

/** Mirrored schedules inside the writer thread. */
export function openScheduleMirror(db: DatabaseSync) {
  const ofOwner = "project_id = ? AND owner = ?";
  const setStream = db.prepare(
    `INSERT INTO schedule_streams (project_id, owner, is_sequenced, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, owner) DO UPDATE SET
       is_sequenced = max(schedule_streams.is_sequenced, excluded.is_sequenced), updated_at = excluded.updated_at
     RETURNING is_sequenced, floor_epoch AS position_epoch, floor_sequence AS position_sequence, floor_event_id AS position_event_id`,
  );
  const setFloor = db.prepare(
    `UPDATE schedule_streams SET floor_epoch = ?, floor_sequence = ?, floor_event_id = ? WHERE ${ofOwner}`,
  );
  const partHeads = db.prepare(
    `SELECT snapshot_id, part, parts, position_epoch, position_sequence, position_event_id FROM schedule_snapshot_parts
     WHERE ${ofOwner} AND snapshot_id IN (SELECT value FROM json_each(?)) AND received_at > ?`,
  );
  const partContents = db.prepare(
    `SELECT snapshot_id, part, schedules FROM schedule_snapshot_parts
     WHERE ${ofOwner} AND snapshot_id IN (SELECT value FROM json_each(?))`,
  );
  const setPart = db.prepare(
    `INSERT INTO schedule_snapshot_parts (project_id, owner, snapshot_id, part, parts,
       position_epoch, position_sequence, position_event_id, schedules, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, owner, snapshot_id, part) DO UPDATE SET
       parts = excluded.parts, position_epoch = excluded.position_epoch, position_sequence = excluded.position_sequence,
       position_event_id = excluded.position_event_id, schedules = excluded.schedules, received_at = excluded.received_at`,
  );
  const closeSnapshots = db.prepare(
    `DELETE FROM schedule_snapshot_parts WHERE ${ofOwner} AND snapshot_id IN (SELECT value FROM json_each(?))`,
  );
  const someRows = db.prepare(
    `SELECT ${comparedColumns} FROM schedules
     WHERE project_id = ? AND scheduler = ? AND name IN (SELECT value FROM json_each(?))`,
  );
  const allRows = db.prepare(`SELECT ${comparedColumns} FROM schedules WHERE project_id = ? AND scheduler = ?`);
  const someTombstones = db.prepare(
    `SELECT name, position_epoch, position_sequence, position_event_id FROM schedule_tombstones
     WHERE ${ofOwner} AND name IN (SELECT value FROM json_each(?))`,
  );
  const allTombstones = db.prepare(
    `SELECT name, position_epoch, position_sequence, position_event_id FROM schedule_tombstones WHERE ${ofOwner}`,
  );
  const setTombstone = db.prepare(
    `INSERT INTO schedule_tombstones (project_id, owner, name, position_epoch, position_sequence, position_event_id, deleted_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, owner, name) DO UPDATE SET
       position_epoch = excluded.position_epoch, position_sequence = excluded.position_sequence,
       position_event_id = excluded.position_event_id, deleted_at = excluded.deleted_at`,
  );
  const dropTombstones = db.prepare(
    `DELETE FROM schedule_tombstones WHERE ${ofOwner} AND name IN (SELECT value FROM json_each(?))`,
  );
  const changing = [...scheduleColumns, "is_enabled", "last_run_at", "next_run_at", "total_runs"];
  const placing = ["position_epoch", "position_sequence", "position_event_id"];
  const insert = db.prepare(
    `INSERT INTO schedules (${[...changing, ...placing].join(", ")}, id, project_id, scheduler, control_token, schedule_revision,
       created_at, updated_at)
     VALUES (${[...changing, ...placing].map(() => "?").join(", ")}, ?, ?, ?, '', 0, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE schedules SET ${[...changing, ...placing, "updated_at"].map((column) => `${column} = ?`).join(", ")} WHERE id = ?`,
  );
  const move = db.prepare(`UPDATE schedules SET ${placing.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`);
  const remove = db.prepare("DELETE FROM schedules WHERE id IN (SELECT value FROM json_each(?))");

  const columnsOf = (schedule: NativeSchedule) => [
    ...scheduleColumns.map((column) => schedule[column]),
    schedule.is_enabled ? 1 : 0,
    microsOf(schedule.last_run_at),
    microsOf(schedule.next_run_at),
    schedule.total_runs,
  ];

  function read(projectId: string, owner: string, reports: readonly ScheduleReport[], nowMs: number) {
    const isSequenced = reports.some((report) => report.isSequenced) ? 1 : 0;
    const stream = setStream.get(projectId, owner, isSequenced, nowMs * 1000) as Row;
    const touched = touchedBy(reports);
    const snapshots = new Map<string, Map<number, SnapshotPart>>();
    if (touched.snapshots.length > 0) {
      const ids = JSON.stringify(touched.snapshots);
      for (const row of partHeads.all(projectId, owner, ids, (nowMs - partsKeptMs) * 1000) as Row[]) {
        const id = row.snapshot_id as string;
        const parts = snapshots.get(id) ?? new Map<number, SnapshotPart>();
        parts.set(row.part as number, { parts: row.parts as number, position: positionOf(row), schedules: null });
        snapshots.set(id, parts);
      }
    }
    const completed = completedBy({ snapshots }, reports);
    for (const row of completed.length === 0
      ? []
      : (partContents.all(projectId, owner, JSON.stringify(completed)) as Row[])) {
      const parts = snapshots.get(row.snapshot_id as string);
      const part = parts?.get(row.part as number);
      if (part === undefined) continue;
      parts?.set(row.part as number, { ...part, schedules: JSON.parse(row.schedules as string) as NativeSchedule[] });
    }
    const isWhole = completed.length > 0;
    const names = JSON.stringify(touched.names);
    const rows = isWhole ? allRows.all(projectId, owner) : someRows.all(projectId, owner, names);
    const stones = isWhole ? allTombstones.all(projectId, owner) : someTombstones.all(projectId, owner, names);
    const stored = (rows as Row[]).map(storedOf);
    const before: OwnerState = {
      isSequenced: stream.is_sequenced === 1,
      floor: stream.position_epoch === null ? null : positionOf(stream),
      rows: rowsOf(stored),
      tombstones: new Map((stones as Row[]).map((row) => [row.name as string, positionOf(row)])),
      snapshots,
    };
    return { before, stored };
  }

  function write(projectId: string, owner: string, plan: OwnerPlan, nowMs: number): void {
    const now = nowMs * 1000;
    if (plan.floor !== null) setFloor.run(...valuesOf(plan.floor), projectId, owner);
    if (plan.deletedIds.length > 0) remove.run(JSON.stringify(plan.deletedIds));
    for (const { id, position, schedule } of plan.inserted) {
      insert.run(...columnsOf(schedule), ...valuesOf(position), id, projectId, owner, now, now);
    }
    for (const { id, position, schedule } of plan.updated) {
      update.run(...columnsOf(schedule), ...valuesOf(position), now, id);
    }
    for (const { id, position } of plan.moved) move.run(...valuesOf(position), id);
    for (const { name, position } of plan.tombstones) {
      setTombstone.run(projectId, owner, name, ...valuesOf(position), now);
    }
    if (plan.revived.length > 0) dropTombstones.run(projectId, owner, JSON.stringify(plan.revived));
    if (plan.closedSnapshots.length > 0) closeSnapshots.run(projectId, owner, JSON.stringify(plan.closedSnapshots));
    for (const { snapshotId, part, parts, position, schedules } of plan.parts) {
      const content = JSON.stringify(schedules ?? []);
      setPart.run(projectId, owner, snapshotId, part, parts, ...valuesOf(position), content, now);
    }
  }

  return {
    /** Applies the reports inside the transaction of the caller. Returns the schedules whose rows changed. */
    apply(reports: readonly ScheduleReport[], nowMs: number): ChangedSchedule[] {
      return byOwner(reports).flatMap(({ projectId, owner, reports: own }) => {
        const { before, stored } = read(projectId, owner, own, nowMs);
        const plan = planOwner(before, stored, own);
        write(projectId, owner, plan, nowMs);
        return changedIn(projectId, plan);
      });
    },
  };
}
