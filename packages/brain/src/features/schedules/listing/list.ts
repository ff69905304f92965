import { isUuid } from "@svc/protocol";
import { hours } from "../../../platform/durations.ts";
import { clampLimit, type PageSizes } from "../../../platform/http/content/paging.ts";
import type { PageQuery } from "../../../platform/http/schemas.ts";
import type { Core, Db, ScheduleRow } from "../../../schema/tables/index.ts";
import { findPendingOperation } from "../control/operation-reads.ts";
import { noSchedule } from "../rules.ts";
import type { ScheduleDetail, SchedulePublic } from "../schemas.ts";
import { findSchedule } from "../store.ts";
import { nextRuns } from "../timing/next-runs.ts";
import {
  countSchedules,
  heldSchedules,
  newestStatuses,
  type SchedulePosition,
  schedulesAmong,
  schedulesByName,
  skippedSlots,
} from "./reads.ts";
import { publicSchedule } from "./shapes.ts";

export interface ListDeps extends Core {
  readonly settings: PageSizes & { readonly SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: number };
}

/** Fires that are counted while the circuit breaker is off. */
const countedFires = 20;
/** Disabled schedules whose fires are read to count stopped ones. */
const mostDisabled = 500;
const failures: ReadonlySet<string> = new Set(["failed", "acked_failed"]);

export function createLists({ database, clock, settings }: ListDeps) {
  const threshold = settings.SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD;

  /** Rows as lists show them. */
  async function withFacts(db: Db, rows: readonly ScheduleRow[]): Promise<SchedulePublic[]> {
    const ids = rows.map(({ id }) => id);
    const [skipped, statuses] = await Promise.all([
      skippedSlots(db, ids, dayBefore(clock.now())),
      newestStatuses(db, ids, Math.max(threshold, countedFires)),
    ]);
    return rows.map((row) =>
      publicSchedule(row, {
        consecutiveFailures: failuresInARow(statuses.get(row.id) ?? []),
        skippedSlots: skipped.get(row.id) ?? 0,
      }),
    );
  }

  /** Schedules that fire again only after someone acts: quarantined ones, and those that the circuit breaker disabled. */
  async function countStopped(projectId: string): Promise<number> {
    const { quarantined, disabled } = await heldSchedules(database.slow, projectId, mostDisabled);
    if (threshold === 0) return quarantined;
    const statuses = await newestStatuses(database.slow, disabled, threshold);
    const tripped = [...statuses.values()].filter((newest) => failuresInARow(newest) >= threshold);
    return quarantined + tripped.length;
  }

  return {
    async list(projectId: string, query: PageQuery) {
      const limit = clampLimit(query.limit, settings);
      const after = readPosition(query.cursor);
      const { rows, hasMore } = await schedulesByName(database.read, { projectId, after }, { limit });
      const last = rows.at(-1);
      return {
        circuit_breaker_threshold: threshold,
        items: await withFacts(database.read, rows),
        next_cursor: hasMore && last !== undefined ? cursorOf(last) : null,
      };
    },
    /** @throws ApiError `not_found` */
    async get(projectId: string, id: string, preview: number | undefined): Promise<ScheduleDetail> {
      const row = await findSchedule(database.read, projectId, id);
      if (row === undefined) throw noSchedule();
      const [[shown], pending] = await Promise.all([
        withFacts(database.read, [row]),
        findPendingOperation(database.read, row),
      ]);
      return {
        ...(shown as SchedulePublic),
        pending_operation: pending ?? null,
        ...(preview !== undefined && { next_runs: nextRuns(row, clock.now(), preview) }),
      };
    },
    async countByState(projectId: string) {
      const [counts, stopped] = await Promise.all([countSchedules(database.slow, projectId), countStopped(projectId)]);
      return { ...counts, stopped };
    },
    countStopped,
    /** A schedule as answers to changes show it. */
    async changed(row: ScheduleRow): Promise<SchedulePublic> {
      const skipped = await skippedSlots(database.read, [row.id], dayBefore(clock.now()));
      return publicSchedule(row, { consecutiveFailures: null, skippedSlots: skipped.get(row.id) ?? 0 });
    },
    /** For the live hub; null when the rows are too large together. */
    async among(projectId: string, ids: readonly string[]): Promise<SchedulePublic[] | null> {
      const { rows, hasMore } = await schedulesAmong(database.read, { projectId, ids }, hubBytes);
      return hasMore ? null : withFacts(database.read, rows);
    },
  };
}

/** Maximum bytes of changed schedules in one live message; clients fetch the rest. */
const hubBytes = 1_048_576;

const dayBefore = (now: Date): Date => new Date(now.getTime() - hours(24));

/** The length of the run of failures at the start. */
function failuresInARow(statuses: readonly string[]): number {
  const end = statuses.findIndex((status) => !failures.has(status));
  return end < 0 ? statuses.length : end;
}

/** `<name>|<32 hexadecimal digits of the id>` in base64url. */
export const cursorOf = ({ name, id }: SchedulePosition): string =>
  Buffer.from(`${name}|${id.replaceAll("-", "")}`, "utf8").toString("base64url");

const maxCursorChars = 2048;

/** Null for the start of the list, also when the cursor is malformed. */
export function readPosition(cursor: string | undefined): SchedulePosition | null {
  if (cursor === undefined || cursor.length > maxCursorChars || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const found = /^([^\0]*)[|]([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/s.exec(text);
  if (found === null) return null;
  const id = found.slice(2).join("-");
  return isUuid(id) ? { name: found[1] as string, id } : null;
}
