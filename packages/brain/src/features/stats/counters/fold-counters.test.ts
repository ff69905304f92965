import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { days } from "../../../platform/durations.ts";
import { rollupDurations } from "../latency-reads.ts";
import { isCounted, rollupTotals, taskCounts } from "../reads.ts";
import { appendStateDeltas } from "./fold-store.ts";
import { decodeHistogram, quantileOf } from "./histogram.ts";

const now = new Date("2026-01-10T10:30:00.000Z");
let numbers = 0;
const nextNumber = () => {
  numbers += 1;
  return String(numbers).padStart(12, "0");
};

const event = (kind: string, taskId: string, at: string, data: Record<string, unknown> = {}) => ({
  id: `00000000-0000-4000-8000-${nextNumber()}`,
  kind,
  engine: "bullmq",
  task_id: taskId,
  occurred_at: at,
  data,
});

for (const dialect of testDialects) {
  describe(`counters on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(now);
    const newProject = () => addProject(opened.database, `11111111-2222-4333-8444-${nextNumber()}`);

    async function ingest(projectId: string, events: readonly unknown[]): Promise<void> {
      const alone = openIngestAlone({ database: opened.database, clock });
      const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
      await alone.ingest.submit({ projectId, agentId, frameTs: now.toISOString(), events });
      await alone.stop();
    }
    async function runLoop(name: "foldCounters" | "compactRollups") {
      const alone = openIngestAlone({ database: opened.database, clock });
      const result = await alone[name]();
      await alone.stop();
      return result;
    }
    const rollups = (projectId: string) =>
      opened.database.read
        .selectFrom("rollups")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("engine", "=", "bullmq")
        .orderBy("bucket_at")
        .orderBy("kind")
        .orderBy("name")
        .execute();
    const deltasLeft = async (projectId: string) =>
      (
        await opened.database.read
          .selectFrom("counter_deltas")
          .select("seq")
          .where("project_id", "=", projectId)
          .execute()
      ).length;

    test("count stored events by minute with the name and queue of their task, once each", async () => {
      const projectId = await newProject();
      const sent = event("task.sent", "t", "2026-01-10T10:01:59.999Z", { task_name: "mail", queue: "q" });
      await ingest(projectId, [
        sent,
        event("task.started", "t", "2026-01-10T10:02:00.000Z", { worker: "w", wait_ms: 40 }),
        event("task.succeeded", "t", "2026-01-10T10:02:30.000Z", { worker: "w", runtime_ms: 250 }),
      ]);
      await ingest(projectId, [
        sent,
        event("task.sent", "u", "2026-01-10T10:01:00.000Z", { task_name: "mail", queue: "q" }),
      ]);
      expect(await isCounted(opened.database)).toBe(false);
      await runLoop("foldCounters");
      expect([await deltasLeft(projectId), await isCounted(opened.database)]).toEqual([0, true]);
      const rows = await rollups(projectId);
      expect(
        rows.map(({ bucket_at, kind, name, queue, count, run_ms_sum, run_count, grain_minutes }) => [
          bucket_at.toISOString().slice(11, 16),
          kind,
          name,
          queue,
          count,
          run_ms_sum,
          run_count,
          grain_minutes,
        ]),
      ).toEqual([
        ["10:01", "task.sent", "mail", "q", 2, 0, 0, 1],
        ["10:02", "task.started", "mail", "q", 1, 0, 0, 1],
        ["10:02", "task.succeeded", "mail", "q", 1, 250, 1, 1],
      ]);
      const quantile = quantileOf(decodeHistogram(rows[2]!.run_histogram), 0.5) as number;
      expect(Math.abs(quantile - 250)).toBeLessThan(250 * 0.05);
      expect(quantileOf(decodeHistogram(rows[1]!.wait_histogram), 0.5)).toBeGreaterThan(38);
      const workers = await opened.database.read
        .selectFrom("worker_rollups")
        .select(["worker", "hour_at", "kind", "count"])
        .where("project_id", "=", projectId)
        .orderBy("kind")
        .execute();
      const hour = new Date("2026-01-10T10:00:00.000Z");
      expect(workers).toEqual([
        { worker: "w", hour_at: hour, kind: "task.started", count: 1 },
        { worker: "w", hour_at: hour, kind: "task.succeeded", count: 1 },
      ]);
    });

    test("add up over many batches and rounds, including histograms", async () => {
      const projectId = await newProject();
      for (const runtimes of [[10, 20], [1000], [5, 7, 9]]) {
        await ingest(
          projectId,
          runtimes.map((runtime_ms) =>
            event("task.succeeded", `t${nextNumber()}`, "2026-01-10T10:05:00Z", { task_name: "n", runtime_ms }),
          ),
        );
        await runLoop("foldCounters");
      }
      const [row] = await rollups(projectId);
      expect(row).toMatchObject({ count: 6, run_ms_sum: 1051, run_count: 6 });
      const histogram = decodeHistogram(row!.run_histogram);
      expect([...histogram.values()].reduce((sum, count) => sum + count)).toBe(6);
      expect(quantileOf(histogram, 1)).toBeGreaterThan(950);
    });

    test("count tasks per state, through moves, repetitions and deletions", async () => {
      const projectId = await newProject();
      await ingest(projectId, [
        event("task.sent", "a", "2026-01-10T10:00:00Z"),
        event("task.sent", "b", "2026-01-10T10:00:00Z"),
      ]);
      expect(await taskCounts(opened.database, projectId), "before they are folded").toEqual({ pending: 2 });
      await runLoop("foldCounters");
      expect(await taskCounts(opened.database, projectId)).toEqual({ pending: 2 });
      await ingest(projectId, [
        event("task.succeeded", "a", "2026-01-10T10:00:01Z"),
        event("task.started", "b", "2026-01-10T10:00:01Z"),
        event("task.failed", "c", "2026-01-10T10:00:01Z"),
      ]);
      await runLoop("foldCounters");
      expect(await taskCounts(opened.database, projectId)).toMatchObject({
        pending: 0,
        success: 1,
        started: 1,
        failure: 1,
      });
      await opened.database.write((tx) => appendStateDeltas(tx, [{ projectId, state: "failure", by: -1 }]));
      expect(await taskCounts(opened.database, projectId), "some folded").toMatchObject({ failure: 0, success: 1 });
      await runLoop("foldCounters");
      expect(await taskCounts(opened.database, projectId)).toMatchObject({ failure: 0, success: 1 });
    });

    test("count names beyond the first thousand of a project together", async () => {
      const projectId = await newProject();
      const events = Array.from({ length: 1010 }, (_, index) =>
        event("task.sent", `t${index}`, "2026-01-10T10:00:00Z", { task_name: `name-${index}` }),
      );
      await ingest(projectId, events.slice(0, 600));
      await runLoop("foldCounters");
      await ingest(projectId, events.slice(600));
      await ingest(projectId, [event("task.sent", "late", "2026-01-10T10:00:00Z", { task_name: "name-3" })]);
      await runLoop("foldCounters");
      const rows = await rollups(projectId);
      expect(rows).toHaveLength(1001);
      expect(rows.find(({ name }) => name === "__overflow__")).toMatchObject({ count: 10 });
      expect(rows.find(({ name }) => name === "name-3")).toMatchObject({ count: 2 });
    });

    test("fold minutes into hours after two days, and late events directly into theirs", async () => {
      const projectId = await newProject();
      const at = (minute: string) => `2026-01-10T10:${minute}:00.000Z`;
      await ingest(projectId, [
        event("task.succeeded", "a", at("01"), { task_name: "n", runtime_ms: 10 }),
        event("task.succeeded", "b", at("02"), { task_name: "n", runtime_ms: 500 }),
      ]);
      await runLoop("foldCounters");
      clock.setWall(new Date("2026-01-12T12:00:00.000Z"));
      await ingest(projectId, [event("task.succeeded", "c", at("03"), { task_name: "n", runtime_ms: 20 })]);
      await runLoop("foldCounters");
      expect((await rollups(projectId)).map(({ grain_minutes }) => grain_minutes)).toEqual([60, 1, 1]);
      await runLoop("compactRollups");
      clock.setWall(now);
      const rows = await rollups(projectId);
      expect(rows).toMatchObject([
        { grain_minutes: 60, bucket_at: new Date("2026-01-10T10:00:00Z"), count: 3, run_ms_sum: 530, run_count: 3 },
      ]);
      expect(quantileOf(decodeHistogram(rows[0]!.run_histogram), 1)).toBeGreaterThan(475);
    });

    test("keep counted durations when further events have none", async () => {
      const projectId = await newProject();
      const at = "2026-01-10T11:31:00.000Z";
      const failed = (data: object) =>
        event("task.failed", `t${nextNumber()}`, at, { task_name: "mail", queue: "q", ...data });
      await ingest(projectId, [failed({ runtime_ms: 500 })]);
      await runLoop("foldCounters");
      await ingest(projectId, [failed({})]);
      await runLoop("foldCounters");
      const durations = async (table: "rollups" | "name_rollups") =>
        (
          await opened.database.read
            .selectFrom(table)
            .select(["count", "run_histogram"])
            .where("project_id", "=", projectId)
            .execute()
        ).map((row) => [row.count, [...decodeHistogram(row.run_histogram).values()]]);
      for (const table of ["rollups", "name_rollups"] as const) {
        const rows = await durations(table);
        expect(rows.length).toBeGreaterThan(1);
        for (const row of rows) expect(row).toEqual([2, [1]]);
      }
    });

    test("have a total of the project in addition to the names, which moves from minutes into hours with them", async () => {
      const projectId = await newProject();
      const at = "2026-01-10T10:01:00.000Z";
      const succeeded = (task_name: string, runtime_ms: number) =>
        event("task.succeeded", `t${nextNumber()}`, at, { task_name, queue: task_name, runtime_ms });
      const totals = async () => {
        const day = { from: new Date("2026-01-10T00:00:00Z"), to: new Date("2026-01-11T00:00:00Z") };
        const rows = await rollupTotals(opened.database, { projectId, kinds: ["task.succeeded"] }, day);
        return rows.map((row) => ({ ...row, bucket_at: row.bucket_at.toISOString().slice(11, 16) }));
      };
      await ingest(projectId, [
        succeeded("a", 10),
        succeeded("b", 20),
        event("task.sent", "u", at, { task_name: "c" }),
      ]);
      await runLoop("foldCounters");
      await ingest(projectId, [succeeded("a", 30), { ...succeeded("a", 40), engine: "celery" }]);
      await runLoop("foldCounters");
      const total = { kind: "task.succeeded", count: 4, run_ms_sum: 100, run_count: 4 };
      expect(await totals()).toEqual([{ ...total, bucket_at: "10:01" }]);

      clock.setWall(new Date("2026-01-12T12:00:00.000Z"));
      await ingest(projectId, [succeeded("late", 5)]);
      await runLoop("foldCounters");
      await runLoop("compactRollups");
      clock.setWall(now);
      expect(await totals()).toEqual([{ ...total, count: 5, run_ms_sum: 105, run_count: 5, bucket_at: "10:00" }]);
    });

    test("have a total of each queue, whatever number of names it has", async () => {
      const projectId = await newProject();
      const succeeded = (task_name: string, queue: string, runtime_ms: number) =>
        event("task.succeeded", `t${nextNumber()}`, "2026-01-10T10:01:00.000Z", { task_name, queue, runtime_ms });
      await ingest(
        projectId,
        Array.from({ length: 30 }, (_, index) => succeeded(`name-${index}`, "mails", 100)),
      );
      await runLoop("foldCounters");
      await ingest(projectId, [
        { ...succeeded("a", "mails", 100), engine: "celery" },
        succeeded("a", "files", 9000),
        succeeded("a", "", 9000),
      ]);
      await runLoop("foldCounters");
      const day = { from: new Date("2026-01-10T00:00:00Z"), to: new Date("2026-01-11T00:00:00Z") };
      const scope = { projectId, kinds: ["task.succeeded"], queue: "mails" };
      const timesOf = async () =>
        (await rollupDurations(opened.database.slow, scope, { ...day, widthMs: days(1) })).map(({ run_histogram }) =>
          [...decodeHistogram(run_histogram).values()].join(),
        );
      expect(await timesOf()).toEqual(["31"]);
      expect(await rollupTotals(opened.database, scope, day)).toMatchObject([{ count: 31 }]);
      expect(await rollupTotals(opened.database, { ...scope, queue: "" }, day)).toMatchObject([{ count: 33 }]);
    });

    test("sum ended and started tasks by name and for the project, by the hour and the day", async () => {
      const projectId = await newProject();
      const succeeded = (task_name: string, runtime_ms: number, minute: string, engine = "bullmq") => ({
        ...event("task.succeeded", `t${nextNumber()}`, `2026-01-10T10:${minute}:00Z`, { task_name, runtime_ms }),
        engine,
      });
      await ingest(projectId, [
        succeeded("a", 10, "01"),
        succeeded("a", 20, "02", "celery"),
        succeeded("b", 900, "03"),
      ]);
      await runLoop("foldCounters");
      await ingest(projectId, [
        succeeded("a", 30, "04"),
        event("task.sent", "u", "2026-01-10T10:05:00Z", { task_name: "a" }),
        // Older than the hours that are kept.
        event("task.failed", "v", "2025-12-28T10:05:00Z", { task_name: "a" }),
      ]);
      await runLoop("foldCounters");
      const rows = await opened.database.read
        .selectFrom("name_rollups")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("bucket_at")
        .orderBy("grain_minutes")
        .orderBy("name")
        .execute();
      expect(
        rows.map(({ bucket_at, grain_minutes, name, kind, count, run_ms_sum, run_histogram }) => [
          bucket_at.toISOString().slice(5, 13),
          grain_minutes,
          name,
          kind.slice(5),
          count,
          run_ms_sum,
          [...decodeHistogram(run_histogram).values()].reduce((sum, times) => sum + times, 0),
        ]),
      ).toEqual([
        ["12-28T00", 1440, "", "failed", 1, 0, 0],
        ["12-28T00", 1440, "a", "failed", 1, 0, 0],
        ["01-10T00", 1440, "", "succeeded", 4, 960, 4],
        ["01-10T00", 1440, "a", "succeeded", 3, 60, 3],
        ["01-10T00", 1440, "b", "succeeded", 1, 900, 1],
        ["01-10T10", 15, "", "succeeded", 4, 960, 4],
        ["01-10T10", 60, "", "succeeded", 4, 960, 4],
        ["01-10T10", 60, "a", "succeeded", 3, 60, 3],
        ["01-10T10", 60, "b", "succeeded", 1, 900, 1],
      ]);
    });

    test("lose no change that is appended while others are folded", async () => {
      const projectId = await newProject();
      await Promise.all([
        ...Array.from({ length: 20 }, (_, index) =>
          ingest(projectId, [event("task.sent", `t${index}`, "2026-01-10T10:00:00Z", { task_name: "n" })]),
        ),
        runLoop("foldCounters"),
        runLoop("foldCounters"),
      ]);
      await runLoop("foldCounters");
      expect(await taskCounts(opened.database, projectId)).toMatchObject({ pending: 20 });
      expect(await rollups(projectId)).toMatchObject([{ count: 20 }]);
    });

    test("keep a name of any length and characters", async () => {
      const projectId = await newProject();
      const name = "𝔫".repeat(500);
      await ingest(projectId, [
        event("task.sent", "t", "2026-01-10T10:00:00Z", { task_name: name, queue: "ü".repeat(200) }),
      ]);
      await runLoop("foldCounters");
      expect((await rollups(projectId)).map((row) => row.name)).toEqual(["𝔫".repeat(256)]);
    });
  });
}
