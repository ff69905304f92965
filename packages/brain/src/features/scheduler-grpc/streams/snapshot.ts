import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ServerWritableStream } from "@grpc/grpc-js";
import {
  type ScheduleCursor,
  type ScheduleMessage,
  SnapshotDigest,
  type SnapshotFrame,
  type SnapshotRequest,
  schedulerContractVersion,
  timestampOrNull,
} from "@svc/protocol";
import type { BrainDatabase, Db } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";
import type { Caller } from "../access/caller.ts";
import { CallRefusal } from "../access/refusal.ts";
import { maxBytesOf, scheduleMessage } from "../calls/messages.ts";
import { readProjectIds, readRevision } from "../calls/requests.ts";
import { send } from "./send.ts";
import {
  type CursorRow,
  readCursorPage,
  readProjects,
  readSchedules,
  readServerRevision,
  type StreamProject,
} from "./stream-reads.ts";

const defaultPageSize = 100;
const maxPageSize = 1000;
/** Complete schedules that are in memory at once for one snapshot. Each has up to 128 KiB of arguments. */
const maxRowsInMemory = 100;
/** Maximum bytes of schedules in one frame, below the limit of a message. */
const maxFrameBytes = 512 * 1024;

/** @throws CallRefusal `invalid` */
export function readSnapshotRequest({ project_ids, page_size, rows_per_frame, known_through }: SnapshotRequest) {
  if (page_size > maxPageSize) throw new CallRefusal("invalid", `page_size must be 1 to ${maxPageSize}`);
  return {
    projectIds: readProjectIds(project_ids),
    pageSize: page_size === 0 ? defaultPageSize : page_size,
    rowsPerFrame: Math.min(rows_per_frame, maxRowsInMemory),
    knownThrough: readRevision("known_through", known_through),
  };
}

/** Sends every schedule that the caller may see, as of one instant. @throws as `send`, and the error of the database. */
export async function sendSnapshot(
  call: ServerWritableStream<SnapshotRequest, SnapshotFrame>,
  { slugs }: Pick<Caller, "slugs">,
  database: Pick<BrainDatabase, "snapshot">,
): Promise<void> {
  const { projectIds, pageSize, rowsPerFrame, knownThrough } = readSnapshotRequest(call.request);
  const snapshot_id = randomUUID();
  await send(call, { header: { snapshot_id, contract_version: schedulerContractVersion } });
  const digest = new SnapshotDigest();
  let row_count = 0;

  const isKnown = ({ schedule_revision }: CursorRow) => schedule_revision <= knownThrough;

  /** Sends at most `maxRowsInMemory` schedules: neighbours that the client knows as cursors, the others completely. */
  async function sendRows(db: Db, rows: readonly CursorRow[]): Promise<void> {
    const unknown = rows.filter((row) => !isKnown(row)).map(({ id }) => id);
    const complete = await readSchedules(db, unknown);
    for (const run of runsOf(rows, isKnown)) {
      if (isKnown(run[0]!)) {
        await send(call, { rows: { snapshot_id, schedules: [], cursors: run.map(cursorOf) } });
        continue;
      }
      const schedules = run.map(({ id }) => scheduleMessage(complete.get(id)!));
      if (rowsPerFrame > 1) {
        for (const part of framesOf(schedules, rowsPerFrame))
          await send(call, { rows: { snapshot_id, schedules: part, cursors: [] } });
      } else {
        for (const schedule of schedules) await send(call, { row: { snapshot_id, schedule } });
      }
    }
  }

  const watermark = await database.snapshot(async (db) => {
    const revision = await readServerRevision(db);
    const projects = visibleProjects(await readProjects(db), slugs, projectIds);
    for (let afterId: string | null = null; ; ) {
      const page = await readCursorPage(db, { afterId, limit: pageSize });
      const rows = page.filter(({ scheduler, project_id }) => scheduler === ownScheduler && projects.has(project_id));
      for (const row of rows) {
        digest.add({
          id: row.id,
          controlToken: row.control_token,
          revision: row.schedule_revision,
          definitionDigest: row.definition_digest,
          nextRunAt: row.next_run_at,
        });
      }
      for (let from = 0; from < rows.length; from += maxRowsInMemory)
        await sendRows(db, rows.slice(from, from + maxRowsInMemory));
      row_count += rows.length;
      if (page.length < pageSize) return revision;
      afterId = page.at(-1)?.id ?? null;
      // The embedded database is read on this thread.
      await nextTurn();
    }
  });
  await send(call, { complete: { snapshot_id, watermark, row_count, digest: digest.end() } });
}

const cursorOf = ({ id, schedule_revision, next_run_at }: CursorRow): ScheduleCursor => ({
  id,
  revision: schedule_revision,
  next_run_at: timestampOrNull(next_run_at),
});

/** Neighbours that are alike, in order. */
function runsOf<Row>(rows: readonly Row[], kindOf: (row: Row) => boolean): Row[][] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run !== undefined && kindOf(run[0]!) === kindOf(row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

/** Ids of active projects in the binding and the request; null in either place for no limit. */
function visibleProjects(
  projects: ReadonlyMap<string, StreamProject>,
  slugs: ReadonlySet<string> | null,
  projectIds: ReadonlySet<string> | null,
): ReadonlySet<string> {
  const isVisible = ([id, { slug, is_active }]: [string, StreamProject]) =>
    is_active && (slugs?.has(slug) ?? true) && (projectIds?.has(id) ?? true);
  return new Set([...projects].filter(isVisible).map(([id]) => id));
}

/** Parts with at most `maxRows` schedules, none of which exceeds a message. */
function framesOf(schedules: readonly ScheduleMessage[], maxRows: number): ScheduleMessage[][] {
  const frames: ScheduleMessage[][] = [];
  let bytes = 0;
  for (const schedule of schedules) {
    const size = maxBytesOf(schedule);
    const frame = frames.at(-1);
    if (frame === undefined || frame.length === maxRows || bytes + size > maxFrameBytes) {
      frames.push([schedule]);
      bytes = size;
    } else {
      frame.push(schedule);
      bytes += size;
    }
  }
  return frames;
}
