import { cadenceFingerprint } from "@svc/cadence";
import { type ScheduleMessage, SnapshotDigest, timestampOf } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { SnapshotFault } from "./snapshot-check.ts";
import { createScheduleTable } from "./table.ts";

const slot = (minute: number) => new Date(Date.UTC(2026, 2, 1, 6, minute));

const message = (id: string, revision: number, given: Partial<ScheduleMessage> = {}): ScheduleMessage => ({
  id,
  project_id: "p1",
  engine: "bullmq",
  name: id,
  task_name: "reports.build",
  kind: "cron",
  expression: "* * * * *",
  timezone: "UTC",
  queue: "",
  priority: "normal",
  args_json: Buffer.from("[]"),
  kwargs_json: Buffer.from("{}"),
  is_enabled: true,
  paused: false,
  quarantined: false,
  catch_up: "skip",
  overlap_policy: "allow",
  last_run_at: null,
  next_run_at: timestampOf(slot(0)),
  total_runs: 0,
  revision,
  control_token: `ct_${revision}`,
  definition_digest: "d",
  cadence_fingerprint: cadenceFingerprint,
  ...given,
});

type Table = ReturnType<typeof createScheduleTable>;

function endOf(rows: readonly ScheduleMessage[], watermark: number) {
  const digest = new SnapshotDigest();
  for (const row of rows) {
    digest.add({
      id: row.id,
      controlToken: row.control_token,
      revision: row.revision,
      definitionDigest: row.definition_digest,
      nextRunAt: row.next_run_at === null ? null : new Date(row.next_run_at.seconds * 1000),
    });
  }
  return { snapshot_id: "s", watermark, row_count: rows.length, digest: digest.end() };
}

/** A snapshot whose rows have arrived; `complete` sends the end. */
function stageOf(table: Table, rows: readonly ScheduleMessage[], watermark: number) {
  const stage = table.beginSnapshot({ snapshot_id: "s", contract_version: 1 });
  for (const schedule of rows) stage.add({ snapshot_id: "s", schedule });
  return { stage, complete: () => stage.complete(endOf(rows, watermark)) };
}

/** A snapshot of cursors only, for a table that knows the rows. */
function cursorSnapshot(table: Table, rows: readonly ScheduleMessage[], watermark: number): void {
  const stage = table.beginSnapshot({ snapshot_id: "s", contract_version: 1 });
  for (const row of rows) stage.addCursor("s", row);
  stage.complete(endOf(rows, watermark));
}

const snapshot = (table: Table, rows: readonly ScheduleMessage[], watermark: number) =>
  stageOf(table, rows, watermark).complete();

const upsert = (table: Table, schedule: ScheduleMessage) =>
  table.apply({
    kind: "UPSERT",
    revision: schedule.revision,
    project_id: schedule.project_id,
    schedule_id: schedule.id,
    schedule,
  });

const tombstone = (table: Table, id: string, revision: number) =>
  table.apply({ kind: "TOMBSTONE", revision, project_id: "p1", schedule_id: id, schedule: null });

function newTable() {
  const changes: string[] = [];
  const table = createScheduleTable({
    onChange: (schedule, isDeleted) => void changes.push(`${isDeleted ? "-" : "+"}${schedule.id}`),
  });
  return { table, changes };
}

const contents = (table: Table) => [...table.all()].map(({ id, revision }) => `${id}@${revision}`).sort();

describe("a snapshot", () => {
  test("is applied when count and digest match, and sets the position", () => {
    const { table, changes } = newTable();
    snapshot(table, [message("a", 1), message("b", 2)], 7);
    expect(contents(table)).toEqual(["a@1", "b@2"]);
    expect(table.position).toBe(7);
    expect(changes).toEqual(["+a", "+b"]);
    expect(table.get("a")).toMatchObject({ nextRunAt: slot(0).getTime(), isRunnable: true, projectId: "p1" });
  });

  test.each([
    ["a wrong digest", { digest: "0".repeat(64) }],
    ["a missing row", { row_count: 3 }],
    ["the end of another snapshot", { snapshot_id: "t" }],
  ])("with %s changes nothing", (_what, wrong) => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    const rows = [message("a", 1, { next_run_at: timestampOf(slot(5)) }), message("b", 2)];
    const { stage } = stageOf(table, rows, 2);
    expect(() => stage.complete({ ...endOf(rows, 2), ...wrong })).toThrow(SnapshotFault);
    stage.abandon();
    expect(contents(table)).toEqual(["a@1"]);
    expect(table.get("a")?.nextRunAt).toBe(slot(0).getTime());
    expect(table.position).toBe(1);
  });

  test("of another contract, with rows of another snapshot, or out of order is refused", () => {
    const { table } = newTable();
    expect(() => table.beginSnapshot({ snapshot_id: "s", contract_version: 2 })).toThrow(SnapshotFault);
    const stage = table.beginSnapshot({ snapshot_id: "s", contract_version: 1 });
    stage.add({ snapshot_id: "s", schedule: message("b", 1) });
    expect(() => stage.add({ snapshot_id: "t", schedule: message("c", 1) })).toThrow(SnapshotFault);
    expect(() => stage.add({ snapshot_id: "s", schedule: message("a", 1) })).toThrow(SnapshotFault);
  });

  test("of cursors moves the slots of stored schedules and removes the others", () => {
    const { table, changes } = newTable();
    const rows = [message("a", 1), message("b", 2), message("c", 3)];
    snapshot(table, rows, 3);
    changes.length = 0;
    cursorSnapshot(table, [rows[0]!, { ...rows[2]!, next_run_at: timestampOf(slot(5)) }], 4);
    expect(contents(table)).toEqual(["a@1", "c@3"]);
    expect(table.get("c")).toMatchObject({ nextRunAt: slot(5).getTime(), projectId: "p1", definitionDigest: "d" });
    expect(changes).toEqual(["+c", "-b"]);
    expect(table.position).toBe(4);
  });

  test("of cursors adds a schedule that was removed in the meantime as a new one", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    const stored = table.get("a")!;
    Object.assign(stored, { heapIndex: 7, state: "active" });
    const moved = message("a", 1, { next_run_at: timestampOf(slot(5)) });
    const stage = table.beginSnapshot({ snapshot_id: "s", contract_version: 1 });
    stage.addCursor("s", moved);
    table.remove(stored);
    stage.complete(endOf([moved], 1));
    expect(table.get("a")).toMatchObject({ heapIndex: -1, state: "idle", nextRunAt: slot(5).getTime() });
  });

  test("of cursors is refused for a schedule that is unknown or has another revision", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    expect(() => cursorSnapshot(table, [message("b", 1)], 1)).toThrow(SnapshotFault);
    upsert(table, message("a", 2));
    expect(() => cursorSnapshot(table, [message("a", 1)], 1)).toThrow(SnapshotFault);
    expect(contents(table)).toEqual(["a@2"]);
  });

  test("removes what it does not contain, and reports only what changed", () => {
    const { table, changes } = newTable();
    snapshot(table, [message("a", 1), message("b", 2), message("c", 3)], 3);
    changes.length = 0;
    snapshot(table, [message("a", 1), message("c", 4)], 5);
    expect(contents(table)).toEqual(["a@1", "c@4"]);
    expect(changes).toEqual(["+c", "-b"]);
    expect(table.projects.get("p1")).toBe(2);
  });

  test("keeps changes that arrived while it was read", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1), message("b", 2), message("c", 3)], 3);
    const later = stageOf(table, [message("a", 1), message("b", 2), message("c", 3)], 3);
    upsert(table, message("a", 4, { paused: true }));
    tombstone(table, "b", 5);
    upsert(table, message("d", 6));
    table.scannedThrough(6);
    later.complete();
    expect(contents(table)).toEqual(["a@4", "c@3", "d@6"]);
  });

  test("does not move a cursor back that a fire has moved while it was read", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    const fired = table.get("a")!;
    table.moveCursor(fired, "ct_1", slot(2).getTime());
    snapshot(table, [message("a", 1, { next_run_at: timestampOf(slot(1)) })], 1);
    expect(fired.nextRunAt).toBe(slot(2).getTime());
    snapshot(table, [message("a", 1, { next_run_at: timestampOf(slot(9)) })], 1);
    expect(fired.nextRunAt).toBe(slot(9).getTime());
    snapshot(table, [message("a", 1, { next_run_at: null })], 1);
    expect(fired.nextRunAt).toBeNull();
  });
});

describe("changes of the watch", () => {
  test("in any order and any number give the same table", () => {
    const changes: ((table: Table) => void)[] = [
      (table) => upsert(table, message("a", 11, { next_run_at: timestampOf(slot(3)) })),
      (table) => upsert(table, message("b", 12)),
      (table) => tombstone(table, "b", 13),
      (table) => upsert(table, message("a", 14, { paused: true })),
      (table) => tombstone(table, "c", 15),
    ];
    for (let round = 0; round < 200; round += 1) {
      const { table } = newTable();
      snapshot(table, [message("a", 1), message("c", 2)], 10);
      const order = [...changes, ...changes].map((change, index) => ({
        change,
        rank: (index * 7919 + round * 104_729) % 211,
      }));
      for (const { change } of order.sort((x, y) => x.rank - y.rank)) change(table);
      table.scannedThrough(15);
      expect(contents(table)).toEqual(["a@14"]);
      expect(table.get("a")?.isRunnable).toBe(false);
    }
  });

  test("up to the position are ignored", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 5)], 10);
    upsert(table, message("b", 9));
    tombstone(table, "a", 10);
    expect(contents(table)).toEqual(["a@5"]);
    table.scannedThrough(20);
    upsert(table, message("b", 20));
    expect(contents(table)).toEqual(["a@5"]);
  });

  test("keep the place of a schedule in the heap and end its catch-up", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    const stored = table.get("a")!;
    Object.assign(stored, { heapIndex: 4, replayed: 7, chosenSlot: 1, failures: 2 });
    upsert(table, message("a", 2));
    expect(table.get("a")).toBe(stored);
    expect(stored).toMatchObject({ heapIndex: 4, replayed: 0, chosenSlot: null, failures: 0, revision: 2 });
  });

  test("cannot continue after a gap until the next snapshot", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    table.forgetPosition();
    table.scannedThrough(9);
    expect(table.position).toBeNull();
    snapshot(table, [message("a", 1)], 9);
    expect(table.position).toBe(9);
  });
});

describe("the row of an answer", () => {
  test("replaces the stored one unless that is newer or equal", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 5)], 5);
    expect(table.replace(message("a", 5))).toBe(false);
    expect(table.replace(message("a", 4))).toBe(false);
    expect(table.replace(message("a", 5, { next_run_at: timestampOf(slot(2)) }))).toBe(true);
    expect(table.get("a")?.nextRunAt).toBe(slot(2).getTime());
    tombstone(table, "a", 8);
    expect(table.replace(message("a", 7))).toBe(false);
    expect(table.size).toBe(0);
  });

  test("moves no cursor of a schedule that has changed since", () => {
    const { table } = newTable();
    snapshot(table, [message("a", 1)], 1);
    const stored = table.get("a")!;
    upsert(table, message("a", 2));
    table.moveCursor(stored, "ct_1", slot(9).getTime());
    expect(stored.nextRunAt).toBe(slot(0).getTime());
  });
});
