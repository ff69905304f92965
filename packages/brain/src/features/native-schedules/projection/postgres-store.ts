import type { PoolClient } from "pg";
import { chunks } from "../../../platform/chunks.ts";
import {
  byOwner,
  type ChangedSchedule,
  changedIn,
  type OwnerPlan,
  type OwnerReports,
  type PlannedRow,
  partsKeptMs,
  planOwner,
  rowsOf,
  type StoredSchedule,
  touchedBy,
} from "./plan.ts";
import type { Position } from "./position.ts";
import { completedBy, type OwnerState, type SnapshotPart } from "./project.ts";
import type { NativeSchedule, ScheduleReport } from "./report.ts";

interface PositionRow {
  position_epoch: string;
  position_sequence: string;
  position_event_id: string;
}
interface StreamRow extends PositionRow {
  project_id: string;
  owner: string;
  is_sequenced: boolean;
}
type Stored = Omit<StoredSchedule, "position">;
interface StoredRow extends PositionRow, Omit<Stored, "last_run_at" | "next_run_at" | "total_runs"> {
  last_run_at: Date | null;
  next_run_at: Date | null;
  total_runs: string;
}
interface PartRow extends PositionRow {
  snapshot_id: string;
  part: string;
  parts: string;
}

/** Rows per statement: their arguments can be large. */
const rowsPerStatement = 500;
const placing = "position_epoch, position_sequence, position_event_id";
const compared = `id, name, definition_digest, is_enabled, external_id, source, source_hash, last_run_at, next_run_at, total_runs, ${placing}`;

const positionOf = (row: PositionRow): Position => ({
  epoch: Number(row.position_epoch),
  sequence: Number(row.position_sequence),
  eventId: row.position_event_id,
});
const placeOf = ({ epoch, sequence, eventId }: Position) => ({
  position_epoch: epoch,
  position_sequence: sequence,
  position_event_id: eventId,
});
const instantOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/**
 * Applies reports of schedules inside the caller's transaction, after its tasks, links and workers: the stream of an owner is locked first and
 * serves as the lock of its schedules. Returns the schedules whose rows changed.
 */
export async function mirrorSchedules(
  client: PoolClient,
  reports: readonly ScheduleReport[],
  now: Date,
): Promise<ChangedSchedule[]> {
  if (reports.length === 0) return [];
  const owners = byOwner(reports);
  const streams = await lockStreams(client, owners, now);
  const changed: ChangedSchedule[] = [];
  for (const own of owners) {
    const stream = streams.get(`${own.projectId} ${own.owner}`) as StreamRow;
    const { before, stored } = await readOwner(client, own, stream, now);
    const plan = planOwner(before, stored, own.reports);
    await writeOwner(client, own, plan, now);
    changed.push(...changedIn(own.projectId, plan));
  }
  return changed;
}

async function lockStreams(
  client: PoolClient,
  owners: readonly OwnerReports[],
  now: Date,
): Promise<ReadonlyMap<string, StreamRow>> {
  const { rows } = await client.query<StreamRow>(
    `INSERT INTO schedule_streams (project_id, owner, is_sequenced, updated_at)
     SELECT p, o, s, $4::timestamptz FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS r (p, o, s)
     ON CONFLICT (project_id, owner) DO UPDATE SET
       is_sequenced = schedule_streams.is_sequenced OR excluded.is_sequenced, updated_at = excluded.updated_at
     RETURNING project_id, owner, is_sequenced, floor_epoch AS position_epoch, floor_sequence AS position_sequence,
       floor_event_id AS position_event_id`,
    [
      owners.map(({ projectId }) => projectId),
      owners.map(({ owner }) => owner),
      owners.map((own) => own.reports.some(({ isSequenced }) => isSequenced)),
      now,
    ],
  );
  return new Map(rows.map((row) => [`${row.project_id} ${row.owner}`, row]));
}

async function readOwner(
  client: PoolClient,
  { projectId, owner, reports }: OwnerReports,
  stream: StreamRow,
  now: Date,
) {
  const touched = touchedBy(reports);
  const snapshots = new Map<string, Map<number, SnapshotPart>>();
  if (touched.snapshots.length > 0) await readParts();
  const completed = completedBy({ snapshots }, reports);
  if (completed.length > 0) await readContents();
  const names = completed.length > 0 ? null : touched.names;
  const { rows } = await client.query<StoredRow>(
    `SELECT ${compared} FROM schedules
     WHERE project_id = $1 AND scheduler = $2 AND ($3::text[] IS NULL OR name = ANY ($3)) ORDER BY id FOR UPDATE`,
    [projectId, owner, names],
  );
  const stones = await client.query<PositionRow & { name: string }>(
    `SELECT name, ${placing} FROM schedule_tombstones
     WHERE project_id = $1 AND owner = $2 AND ($3::text[] IS NULL OR name = ANY ($3))`,
    [projectId, owner, names],
  );
  const stored = rows.map(storedOf);
  const before: OwnerState = {
    isSequenced: stream.is_sequenced,
    floor: stream.position_epoch === null ? null : positionOf(stream),
    rows: rowsOf(stored),
    tombstones: new Map(stones.rows.map((row) => [row.name, positionOf(row)])),
    snapshots,
  };
  return { before, stored };

  async function readParts(): Promise<void> {
    const heads = await client.query<PartRow>(
      `SELECT snapshot_id, part, parts, ${placing} FROM schedule_snapshot_parts
       WHERE project_id = $1 AND owner = $2 AND snapshot_id = ANY ($3::text[]) AND received_at > $4`,
      [projectId, owner, touched.snapshots, new Date(now.getTime() - partsKeptMs)],
    );
    for (const row of heads.rows) {
      const parts = snapshots.get(row.snapshot_id) ?? new Map<number, SnapshotPart>();
      parts.set(Number(row.part), { parts: Number(row.parts), position: positionOf(row), schedules: null });
      snapshots.set(row.snapshot_id, parts);
    }
  }

  async function readContents(): Promise<void> {
    const contents = await client.query<{ snapshot_id: string; part: string; schedules: string }>(
      `SELECT snapshot_id, part, schedules::text AS schedules FROM schedule_snapshot_parts
       WHERE project_id = $1 AND owner = $2 AND snapshot_id = ANY ($3::text[])`,
      [projectId, owner, completed],
    );
    for (const { snapshot_id, part, schedules } of contents.rows) {
      const parts = snapshots.get(snapshot_id);
      const known = parts?.get(Number(part));
      if (known === undefined) continue;
      parts?.set(Number(part), { ...known, schedules: JSON.parse(schedules) as NativeSchedule[] });
    }
  }
}

const storedOf = ({ last_run_at, next_run_at, total_runs, ...row }: StoredRow): StoredSchedule => ({
  ...row,
  last_run_at: last_run_at?.getTime() ?? null,
  next_run_at: next_run_at?.getTime() ?? null,
  total_runs: Number(total_runs),
  position: positionOf(row),
});

async function writeOwner(
  client: PoolClient,
  { projectId, owner }: Pick<OwnerReports, "projectId" | "owner">,
  plan: OwnerPlan,
  now: Date,
): Promise<void> {
  const run = (text: string, ...values: unknown[]) => client.query(text, [projectId, owner, ...values]);
  const { floor } = plan;
  if (floor !== null) {
    await run(
      `UPDATE schedule_streams SET floor_epoch = $3, floor_sequence = $4, floor_event_id = $5
       WHERE project_id = $1 AND owner = $2`,
      floor.epoch,
      floor.sequence,
      floor.eventId,
    );
  }
  if (plan.deletedIds.length > 0) {
    await run(
      "DELETE FROM schedules WHERE project_id = $1 AND scheduler = $2 AND id = ANY ($3::uuid[])",
      plan.deletedIds,
    );
  }
  for (const some of chunks(plan.inserted, rowsPerStatement)) await run(insertText, recordsOf(some), now);
  for (const some of chunks(plan.updated, rowsPerStatement)) await run(updateText, recordsOf(some), now);
  if (plan.moved.length > 0) {
    await run(
      `UPDATE schedules AS s SET position_epoch = r.position_epoch, position_sequence = r.position_sequence,
         position_event_id = r.position_event_id
       FROM jsonb_to_recordset($3::jsonb) AS r (id uuid, position_epoch bigint, position_sequence bigint, position_event_id uuid)
       WHERE s.project_id = $1 AND s.scheduler = $2 AND s.id = r.id`,
      JSON.stringify(plan.moved.map(({ id, position }) => ({ id, ...placeOf(position) }))),
    );
  }
  if (plan.tombstones.length > 0) {
    await run(
      `INSERT INTO schedule_tombstones (project_id, owner, name, ${placing}, deleted_at)
       SELECT $1::uuid, $2::text, name, ${placing}, $4::timestamptz FROM jsonb_to_recordset($3::jsonb)
         AS r (name text, position_epoch bigint, position_sequence bigint, position_event_id uuid)
       ON CONFLICT (project_id, owner, name) DO UPDATE SET
         position_epoch = excluded.position_epoch, position_sequence = excluded.position_sequence,
         position_event_id = excluded.position_event_id, deleted_at = excluded.deleted_at`,
      JSON.stringify(plan.tombstones.map(({ name, position }) => ({ name, ...placeOf(position) }))),
      now,
    );
  }
  if (plan.revived.length > 0) {
    await run(
      "DELETE FROM schedule_tombstones WHERE project_id = $1 AND owner = $2 AND name = ANY ($3::text[])",
      plan.revived,
    );
  }
  if (plan.closedSnapshots.length > 0) {
    await run(
      "DELETE FROM schedule_snapshot_parts WHERE project_id = $1 AND owner = $2 AND snapshot_id = ANY ($3::text[])",
      plan.closedSnapshots,
    );
  }
  for (const { snapshotId, part, parts, position, schedules } of plan.parts) {
    await run(
      `INSERT INTO schedule_snapshot_parts (project_id, owner, snapshot_id, part, parts, ${placing}, schedules, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)
       ON CONFLICT (project_id, owner, snapshot_id, part) DO UPDATE SET
         parts = excluded.parts, position_epoch = excluded.position_epoch, position_sequence = excluded.position_sequence,
         position_event_id = excluded.position_event_id, schedules = excluded.schedules, received_at = excluded.received_at`,
      ...[snapshotId, part, parts, position.epoch, position.sequence, position.eventId],
      ...[JSON.stringify(schedules ?? []), now],
    );
  }
}

/** Columns of a row, with their types in a record; JSON is sent as text inside it. */
const columns: Readonly<Record<string, string>> = {
  ...{
    name: "text",
    engine: "text",
    task_name: "text",
    kind: "text",
    expression: "text",
    timezone: "text",
    queue: "text",
  },
  ...{
    priority: "text",
    args: "text",
    kwargs: "text",
    catch_up: "text",
    overlap_policy: "text",
    is_enabled: "boolean",
  },
  ...{ external_id: "text", source: "text", source_hash: "text", definition_digest: "text" },
  ...{ last_run_at: "timestamptz", next_run_at: "timestamptz", total_runs: "bigint" },
  ...{ position_epoch: "bigint", position_sequence: "bigint", position_event_id: "uuid" },
};
const columnNames = Object.keys(columns);
const sourceOf = (name: string) => (name === "args" || name === "kwargs" ? `r.${name}::jsonb` : `r.${name}`);
const records = `jsonb_to_recordset($3::jsonb) AS r (id uuid, ${columnNames.map((name) => `${name} ${columns[name]}`).join(", ")})`;
const insertText = `
  INSERT INTO schedules (id, project_id, scheduler, ${columnNames.join(", ")}, control_token, schedule_revision, created_at, updated_at)
  SELECT r.id, $1::uuid, $2::text, ${columnNames.map(sourceOf).join(", ")}, '', 0, $4::timestamptz, $4::timestamptz FROM ${records}`;
const updateText = `
  UPDATE schedules AS s SET ${columnNames.map((name) => `${name} = ${sourceOf(name)}`).join(", ")}, updated_at = $4::timestamptz
  FROM ${records} WHERE s.project_id = $1 AND s.scheduler = $2 AND s.id = r.id`;

const recordsOf = (rows: readonly PlannedRow[]): string =>
  JSON.stringify(
    rows.map(({ id, position, schedule }) => ({
      id,
      ...schedule,
      last_run_at: instantOf(schedule.last_run_at),
      next_run_at: instantOf(schedule.next_run_at),
      ...placeOf(position),
    })),
  );
