import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ServerWritableStream } from "@grpc/grpc-js";
import {
  type ScheduleMessage,
  SnapshotDigest,
  type SnapshotFrame,
  type SnapshotRequest,
  schedulerContractVersion,
} from "@svc/protocol";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";
import type { Caller } from "../access/caller.ts";
import { CallRefusal } from "../access/refusal.ts";
import { scheduleMessage } from "../calls/messages.ts";
import { readProjectIds } from "../calls/requests.ts";
import { send } from "./send.ts";
import { readProjects, readSchedulePage, readServerRevision, type StreamProject } from "./stream-reads.ts";

const defaultPageSize = 100;
const maxPageSize = 1000;
/** Rows that are in memory at once for one snapshot. A row has up to 128 KiB of arguments. */
const maxRowsInMemory = 100;
/** Maximum bytes of arguments in one frame, below the limit of a message. */
const maxFrameBytes = 512 * 1024;

/** @throws CallRefusal `invalid` */
export function readSnapshotRequest({ project_ids, page_size, rows_per_frame }: SnapshotRequest) {
  if (page_size > maxPageSize) throw new CallRefusal("invalid", `page_size must be 1 to ${maxPageSize}`);
  return {
    projectIds: readProjectIds(project_ids),
    rowsPerRead: Math.min(page_size === 0 ? defaultPageSize : page_size, maxRowsInMemory),
    rowsPerFrame: Math.min(rows_per_frame, maxRowsInMemory),
  };
}

/** Sends every schedule that the caller may see, as of one instant. @throws as `send`, and the error of the database. */
export async function sendSnapshot(
  call: ServerWritableStream<SnapshotRequest, SnapshotFrame>,
  { slugs }: Pick<Caller, "slugs">,
  database: Pick<BrainDatabase, "snapshot">,
): Promise<void> {
  const { projectIds, rowsPerRead, rowsPerFrame } = readSnapshotRequest(call.request);
  const snapshot_id = randomUUID();
  await send(call, { header: { snapshot_id, contract_version: schedulerContractVersion } });
  const digest = new SnapshotDigest();
  let row_count = 0;
  const watermark = await database.snapshot(async (db) => {
    const revision = await readServerRevision(db);
    const projects = visibleProjects(await readProjects(db), slugs, projectIds);
    for (let afterId: string | null = null; ; ) {
      const page = await readSchedulePage(db, { afterId, limit: rowsPerRead });
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
      const schedules = rows.map(scheduleMessage);
      if (rowsPerFrame > 1) {
        for (const part of framesOf(schedules, rowsPerFrame))
          await send(call, { rows: { snapshot_id, schedules: part } });
      } else {
        for (const schedule of schedules) await send(call, { row: { snapshot_id, schedule } });
      }
      row_count += rows.length;
      if (page.length < rowsPerRead) return revision;
      afterId = page.at(-1)?.id ?? null;
      // The embedded database is read on this thread.
      await nextTurn();
    }
  });
  await send(call, { complete: { snapshot_id, watermark, row_count, digest: digest.end() } });
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
    const size = schedule.args_json.length + schedule.kwargs_json.length;
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
