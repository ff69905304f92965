import { readTimestamp, type ScheduleMessage, SnapshotDigest } from "@svc/protocol";

/** A snapshot that is incomplete or contradicts itself. Nothing of it was applied. */
export class SnapshotFault extends Error {}

/** Counts and digests the rows of one snapshot. */
export function createSnapshotCheck(snapshotId: string) {
  const digest = new SnapshotDigest();
  let rows = 0;
  let lastId = "";

  const requireSame = (id: string) => {
    if (id !== snapshotId) throw new SnapshotFault("frames of two snapshots were mixed");
  };

  return {
    /** @throws SnapshotFault for a row of another snapshot, or out of order */
    add(
      id: string,
      schedule: Pick<ScheduleMessage, "id" | "control_token" | "revision" | "definition_digest" | "next_run_at">,
    ): void {
      requireSame(id);
      if (rows > 0 && schedule.id <= lastId) throw new SnapshotFault("the rows are not in the order of their ids");
      lastId = schedule.id;
      rows += 1;
      digest.add({
        id: schedule.id,
        controlToken: schedule.control_token,
        revision: schedule.revision,
        definitionDigest: schedule.definition_digest,
        nextRunAt: readTimestamp(schedule.next_run_at),
      });
    },
    /** @throws SnapshotFault when count or digest differ */
    end(id: string, rowCount: number, expected: string): void {
      requireSame(id);
      if (rows !== rowCount) throw new SnapshotFault(`${rows} rows arrived, expected ${rowCount}`);
      if (digest.end() !== expected) throw new SnapshotFault("the digest of the rows differs");
    },
  };
}
