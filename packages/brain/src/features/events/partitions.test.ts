import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { pruneEvents } from "./loops.ts";
import { createPartitionKeeper } from "./partitions.ts";
import { createPartitions, dayOf, dropPartitionsBefore, listPartitions } from "./partitions-store.ts";

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

    test("go after retention, and only then", async () => {
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
      expect(await left()).toBe(2);
      expect(await submit([eventAt(daysAgo(30))])).toMatchObject({ inserted: 0 });
      expect(await submit([eventAt(daysAgo(29))])).toMatchObject({ inserted: 1 });
      await alone.stop();
    });
  });
}

describe("partitions of events", () => {
  const opened = useTestDatabase("postgres");
  const pool = (): Pool => (opened.database.bulk as unknown as { pool: Pool }).pool;

  test("are made for today and two weeks ahead, once", async () => {
    const keeper = createPartitionKeeper(pool());
    await keeper.makeAhead(now);
    await createPartitionKeeper(pool()).makeAhead(now);
    const expected = Array.from({ length: 15 }, (_, index) => today + index);
    expect(await listPartitions(pool())).toEqual(expected);
  });

  test("are made by whoever needs them first, also when two processes need the same at once", async () => {
    const days = [today - 3, today - 2, today - 2, today - 1];
    const instants = days.map((day) => day * dayMs + 5);
    await Promise.all([1, 2, 3].map(() => createPartitionKeeper(pool()).ensureFor(instants)));
    expect(await listPartitions(pool())).toEqual(expect.arrayContaining(days));
  });

  test("keep exactly one UTC day each", async () => {
    await createPartitions(pool(), [today - 9]);
    const { rows } = await pool().query(
      `SELECT pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE relname = 'events_20260101'`,
    );
    expect(rows).toEqual([{ bound: "FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-01-02 00:00:00+00')" }]);
  });

  test("are dropped whole before a day, and a removal that was cut short is finished", async () => {
    await createPartitions(pool(), [today - 40, today - 39, today - 30]);
    const { rows } = await pool().query("SELECT to_regclass('events_20251201') AS name");
    expect(rows[0].name).toBe("events_20251201");
    expect(await dropPartitionsBefore(pool(), today - 30)).toBe(2);
    expect(await dropPartitionsBefore(pool(), today - 30)).toBe(0);
    const days = await listPartitions(pool());
    expect(days.filter((day) => day < today - 30)).toEqual([]);
    expect(days).toContain(today - 30);
  });

  test("are made again by ingest when another process dropped one that this one knew", async () => {
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
});
