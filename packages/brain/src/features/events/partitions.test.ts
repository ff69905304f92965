import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock, waitFor } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import * as partitions from "../../platform/database/dialects/postgres/partitions/daily-partitions.ts";
import { pruneEvents } from "./loops.ts";
import { eventPartitions } from "./partitions.ts";

const { dayOf } = partitions;
const listPartitions = (pool: Pool) => partitions.listPartitions(pool, "events");
const createPartitions = (pool: Pool, days: readonly number[]) => partitions.createPartitions(pool, "events", days);
const dropPartitions = (pool: Pool, kept: Omit<partitions.DropRequest, "table">) =>
  partitions.dropPartitions(pool, { table: "events", ...kept });

const now = new Date("2026-01-10T10:30:00.000Z");
const today = dayOf(now.getTime());
const dayMs = 86_400_000;
let numbers = 0;
const nextNumber = () => {
  numbers += 1;
  return String(numbers).padStart(12, "0");
};
const eventAt = (at: Date) => ({
  id: `00000000-0000-4000-8000-${nextNumber()}`,
  kind: "task.sent",
  engine: "e",
  task_id: `t${nextNumber()}`,
  occurred_at: at.toISOString(),
  data: {},
});
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);

for (const dialect of testDialects) {
  describe(`stored events on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("are deleted after the retention, and only then", async () => {
      const { database } = opened;
      const clock = createFakeClock(now);
      const projectId = await addProject(database, `11111111-2222-4333-8444-${nextNumber()}`);
      const alone = openIngestAlone({ database, clock });
      const submit = (events: unknown[]) =>
        alone.ingest.submit({ projectId, agentId: projectId, frameTs: clock.now().toISOString(), events });
      await submit([...Array.from({ length: 30 }, () => eventAt(daysAgo(30))), eventAt(daysAgo(29)), eventAt(now)]);
      const prune = () =>
        pruneEvents.tick({
          database,
          clock,
          settings: { SVC_EVENT_RETENTION_DAYS: 30 },
          signal: new AbortController().signal,
        });
      const left = async () =>
        (await database.read.selectFrom("events").select("id").where("project_id", "=", projectId).execute()).length;
      await prune();
      expect(await left()).toBe(32);
      clock.setWall(new Date(now.getTime() + dayMs));
      await prune();
      expect(await left()).toBe(32);
      clock.setWall(new Date(now.getTime() + 2 * dayMs));
      await submit([eventAt(new Date(now.getTime() + 2 * dayMs))]);
      await prune();
      expect(await left()).toBe(3);
      clock.setWall(new Date(now.getTime() + dayMs));
      expect(await submit([eventAt(daysAgo(30))])).toMatchObject({ inserted: 0 });
      expect(await submit([eventAt(daysAgo(29))])).toMatchObject({ inserted: 1 });
      await alone.stop();
    });
  });
}

describe("partitions of events", () => {
  const opened = useTestDatabase("postgres");
  const pool = (): Pool => (opened.database.bulk as unknown as { pool: Pool }).pool;

  test("are created for today and two weeks ahead, once", async () => {
    const keeper = eventPartitions(pool());
    await keeper.makeAhead(now);
    await eventPartitions(pool()).makeAhead(now);
    const expected = Array.from({ length: 15 }, (_, index) => today + index);
    expect(await listPartitions(pool())).toEqual(expected);
  });

  test("are created by the first process that needs them, also when two need the same one at once", async () => {
    const days = [today - 3, today - 2, today - 2, today - 1];
    const instants = days.map((day) => day * dayMs + 5);
    await Promise.all([1, 2, 3].map(() => eventPartitions(pool()).ensureFor(instants)));
    expect(await listPartitions(pool())).toEqual(expect.arrayContaining(days));
  });

  test("hold exactly one UTC day each", async () => {
    await createPartitions(pool(), [today - 9]);
    const { rows } = await pool().query(
      `SELECT pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE relname = 'events_20260101'`,
    );
    expect(rows).toEqual([{ bound: "FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-01-02 00:00:00+00')" }]);
  });

  const drop = () => dropPartitions(pool(), { firstKept: today - 30, firstKeptEmpty: today - 30 });
  const isThere = async (name: string) =>
    (await pool().query("SELECT to_regclass($1) IS NOT NULL AS there", [name])).rows[0].there as boolean;

  test("are dropped as a whole before a day", async () => {
    await createPartitions(pool(), [today - 40, today - 39, today - 30]);
    expect(await isThere("events_20251201")).toBe(true);
    expect(await drop()).toBe(2);
    expect(await drop()).toBe(0);
    const days = await listPartitions(pool());
    expect(days.filter((day) => day < today - 30)).toEqual([]);
    expect(days).toContain(today - 30);
    expect(await isThere("events_20251201")).toBe(false);
  });

  test("are dropped by the clock when empty, and otherwise by the day of the newest row", async () => {
    const { database } = opened;
    const projectId = await addProject(database, `11111111-2222-4333-8444-${nextNumber()}`);
    await createPartitions(pool(), [today - 35, today - 34, today - 33]);
    const row = {
      id: projectId,
      project_id: projectId,
      agent_id: projectId,
      engine: "e",
      task_id: "t",
      kind: "task.sent",
    };
    await database.write((tx) =>
      tx
        .insertInto("events")
        .values({ ...row, occurred_at: daysAgo(34), payload: "{}" } as never)
        .execute(),
    );
    const dropped = async (firstKept: number | null) => {
      await dropPartitions(pool(), { firstKept, firstKeptEmpty: today - 33 });
      return (await listPartitions(pool())).filter((day) => day < today - 30);
    };
    expect(await dropped(null)).toEqual([today - 34, today - 33]);
    expect(await dropped(today - 34)).toEqual([today - 34, today - 33]);
    expect(await dropped(today - 33)).toEqual([today - 33]);
    await dropPartitions(pool(), { firstKept: today - 30, firstKeptEmpty: today - 30 });
  });

  test("are dropped also when an earlier removal was interrupted after the detach", async () => {
    await createPartitions(pool(), [today - 40]);
    await pool().query("ALTER TABLE events DETACH PARTITION events_20251201 CONCURRENTLY");
    expect(await drop()).toBe(1);
    expect(await isThere("events_20251201")).toBe(false);
  });

  test("are dropped also when an earlier removal was interrupted during the detach", async () => {
    await createPartitions(pool(), [today - 40]);
    const [reader, remover] = [await pool().connect(), await pool().connect()];
    await reader.query("BEGIN");
    await reader.query("SELECT FROM events");
    const { rows } = await remover.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const detaching = remover.query("ALTER TABLE events DETACH PARTITION events_20251201 CONCURRENTLY");
    const cancelled = expect(detaching).rejects.toMatchObject({ code: "57014" });
    const isPending = async () => (await pool().query("SELECT FROM pg_inherits WHERE inhdetachpending")).rowCount === 1;
    await waitFor(isPending);
    await pool().query("SELECT pg_cancel_backend($1)", [rows[0]?.pid]);
    await cancelled;
    await reader.query("COMMIT");
    reader.release();
    remover.release();
    expect(await isPending()).toBe(true);
    expect(await drop()).toBe(1);
    expect(await isThere("events_20251201")).toBe(false);
  });

  test("are created again by ingest when another process dropped a cached one", async () => {
    const { database } = opened;
    const clock = createFakeClock(now);
    const projectId = await addProject(database, `11111111-2222-4333-8444-${nextNumber()}`);
    const alone = openIngestAlone({ database, clock });
    const submit = () =>
      alone.ingest.submit({
        projectId,
        agentId: projectId,
        frameTs: now.toISOString(),
        events: [eventAt(daysAgo(20))],
      });
    await submit();
    await pool().query("DROP TABLE events_20251221");
    expect(await submit()).toMatchObject({ inserted: 1 });
    await alone.stop();
  });

  test("are found missing by ingest whatever language the server uses", async () => {
    const { database } = opened;
    const projectId = await addProject(database, `11111111-2222-4333-8444-${nextNumber()}`);
    const alone = openIngestAlone({ database, clock: createFakeClock(now) });
    await createPartitions(pool(), [today]);
    // A sequence is not rolled back, so only the first insert fails.
    await pool().query(`
      CREATE SEQUENCE refusals;
      CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('refusals') = 1 THEN
          RAISE EXCEPTION 'keine Partition von Relation »events« für die Zeile gefunden' USING ERRCODE = '23514', TABLE = 'events';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse_once BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse_once()`);
    const events = [eventAt(now)];
    const submitted = alone.ingest.submit({ projectId, agentId: projectId, frameTs: now.toISOString(), events });
    expect(await submitted).toMatchObject({ inserted: 1 });
    await pool().query("DROP FUNCTION refuse_once CASCADE; DROP SEQUENCE refusals");
    await alone.stop();
  });
});
