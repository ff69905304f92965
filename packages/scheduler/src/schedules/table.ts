import {
  type ScheduleChangeMessage,
  type ScheduleCursor,
  type ScheduleMessage,
  schedulerContractVersion,
} from "@svc/protocol";
import { createSharedTexts, isStored, laterSlot, overwrite, type Schedule, scheduleOf, slotOf } from "./row.ts";
import { createSnapshotCheck, SnapshotFault } from "./snapshot-check.ts";

/** Deleted schedules that are remembered, so that a late message does not revive them. More force a new snapshot. */
const maxTombstones = 100_000;

export interface TableOptions {
  /** Called after a schedule was added or changed, and with `isDeleted` after it was removed. */
  onChange(schedule: Schedule, isDeleted: boolean): void;
}

export interface SnapshotStage {
  /** @throws SnapshotFault when the frame contradicts those before it */
  add(row: { readonly snapshot_id: string; readonly schedule: ScheduleMessage }): void;
  /** A stored schedule with its next slot. @throws SnapshotFault also when another version of it is stored */
  addCursor(snapshotId: string, cursor: ScheduleCursor): void;
  /** Applies the snapshot if count and digest match. @throws SnapshotFault otherwise; then nothing was applied */
  complete(end: {
    readonly snapshot_id: string;
    readonly watermark: number;
    readonly row_count: number;
    readonly digest: string;
  }): void;
  /** Ends an unfinished snapshot. Does nothing after `complete`. */
  abandon(): void;
}

/**
 * The scheduler's copy of all schedules. A snapshot and changes may arrive at the same time and in any order: a row takes a change only from
 * a higher revision, and a snapshot replaces only what is not newer than its watermark.
 */
export function createScheduleTable({ onChange }: TableOptions) {
  const schedules = new Map<string, Schedule>();
  const projects = new Map<string, number>();
  const tombstones = new Map<string, number>();
  const share = createSharedTexts();
  /** Every revision up to here is applied; null before the first snapshot and after a gap. */
  let position: number | null = null;
  let snapshots = 0;
  let openStages = 0;
  let projectsAdded = 0;

  function count(projectId: string, step: 1 | -1): void {
    if (step === 1 && !projects.has(projectId)) projectsAdded += 1;
    const left = (projects.get(projectId) ?? 0) + step;
    if (left === 0) projects.delete(projectId);
    else projects.set(projectId, left);
  }

  function put(given: Schedule): void {
    const stored = schedules.get(given.id);
    if (stored === undefined) {
      schedules.set(given.id, given);
      count(given.projectId, 1);
      onChange(given, false);
      return;
    }
    if (stored.projectId !== given.projectId) {
      count(stored.projectId, -1);
      count(given.projectId, 1);
    }
    overwrite(stored, given);
    onChange(stored, false);
  }

  function drop(schedule: Schedule): void {
    schedules.delete(schedule.id);
    count(schedule.projectId, -1);
    onChange(schedule, true);
  }

  function advance(revision: number): void {
    position = Math.max(position ?? 0, revision);
    if (openStages > 0) return;
    for (const [id, deletedAt] of tombstones) if (deletedAt <= position) tombstones.delete(id);
  }

  /** Rows that differ from the stored ones, until the end of the snapshot. */
  function beginSnapshot(header: { readonly snapshot_id: string; readonly contract_version: number }): SnapshotStage {
    if (header.contract_version !== schedulerContractVersion) {
      throw new SnapshotFault(`contract version ${header.contract_version}, expected ${schedulerContractVersion}`);
    }
    snapshots += 1;
    openStages += 1;
    const number = snapshots;
    const check = createSnapshotCheck(header.snapshot_id);
    const changed = new Map<string, Schedule>();
    let isOpen = true;

    const abandon = () => {
      if (isOpen) openStages -= 1;
      isOpen = false;
      changed.clear();
    };

    return {
      add({ snapshot_id, schedule }) {
        check.add(snapshot_id, schedule);
        const stored = schedules.get(schedule.id);
        if (stored !== undefined && isStored(stored, schedule)) stored.snapshot = number;
        else changed.set(schedule.id, scheduleOf(schedule, share, number));
      },
      addCursor(snapshotId, { id, revision, next_run_at }) {
        const stored = schedules.get(id);
        if (stored?.revision !== revision) throw new SnapshotFault("a schedule has changed since its cursor was read");
        const { controlToken, definitionDigest } = stored;
        check.add(snapshotId, {
          id,
          control_token: controlToken,
          revision,
          definition_digest: definitionDigest,
          next_run_at,
        });
        const nextRunAt = slotOf({ next_run_at });
        if (stored.nextRunAt === nextRunAt) stored.snapshot = number;
        else changed.set(id, { ...stored, nextRunAt, snapshot: number, heapIndex: -1, state: "idle" });
      },
      complete({ snapshot_id, watermark, row_count, digest }) {
        check.end(snapshot_id, row_count, digest);
        for (const given of changed.values()) merge(given);
        for (const stored of schedules.values()) {
          if (stored.snapshot !== number && stored.revision <= watermark && !changed.has(stored.id)) drop(stored);
        }
        abandon();
        advance(watermark);
      },
      abandon,
    };
  }

  /** Takes a row of a snapshot, unless a change that arrived in the meantime is newer. */
  function merge(given: Schedule): void {
    if ((tombstones.get(given.id) ?? -1) >= given.revision) return;
    const stored = schedules.get(given.id);
    if (stored !== undefined && stored.revision > given.revision) return;
    if (stored?.controlToken === given.controlToken) given.nextRunAt = laterSlot(stored.nextRunAt, given.nextRunAt);
    put(given);
  }

  return {
    get size() {
      return schedules.size;
    },
    get position() {
      return position;
    },
    /** Number of schedules by project. */
    projects: projects as ReadonlyMap<string, number>,
    /** Grows whenever a project gets its first schedule. */
    get projectsAdded() {
      return projectsAdded;
    },
    get: (id: string): Schedule | undefined => schedules.get(id),
    all: () => schedules.values(),
    beginSnapshot,
    /** Applies one change of the watch. Duplicates and changes that a newer one has overtaken have no effect. */
    apply({ kind, revision, schedule_id: id, schedule }: ScheduleChangeMessage): void {
      if (revision <= (position ?? -1) || (tombstones.get(id) ?? -1) >= revision) return;
      const stored = schedules.get(id);
      if (stored !== undefined && stored.revision >= revision) return;
      if (kind === "UPSERT" && schedule !== null) {
        put(scheduleOf(schedule, share));
        return;
      }
      tombstones.set(id, revision);
      if (tombstones.size > maxTombstones) position = null;
      if (stored !== undefined) drop(stored);
    },
    /** The watch has sent every change up to this revision. */
    scannedThrough(revision: number): void {
      if (position !== null) advance(revision);
    },
    /** The history after the position is no longer available: only a snapshot continues. */
    forgetPosition(): void {
      position = null;
    },
    /** Takes the row that the service answered with, unless a newer one is stored. Returns whether anything changed. */
    replace(live: ScheduleMessage): boolean {
      const stored = schedules.get(live.id);
      if (stored !== undefined && (stored.revision > live.revision || isStored(stored, live))) return false;
      if ((tombstones.get(live.id) ?? -1) >= live.revision) return false;
      put(scheduleOf(live, share));
      return true;
    },
    /** Moves the cursor of a schedule whose control has not changed. */
    moveCursor(schedule: Schedule, controlToken: string, nextRunAt: number | null): void {
      if (schedule.controlToken !== controlToken || schedules.get(schedule.id) !== schedule) return;
      schedule.nextRunAt = nextRunAt;
    },
    /** The service does not know it any more. */
    remove(schedule: Schedule): void {
      if (schedules.get(schedule.id) === schedule) drop(schedule);
    },
  };
}

export type ScheduleTable = ReturnType<typeof createScheduleTable>;
