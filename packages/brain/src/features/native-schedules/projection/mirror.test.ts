import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  historyArbitrary,
  mirrorOf,
  type NativeEvent,
  reportsOf,
} from "../../../../test/fixtures/schedules/native-schedules.ts";
import { pruneSnapshotParts } from "../loops.ts";
import { isAfter, type Position } from "./position.ts";
import type { NativeSchedule } from "./report.ts";

const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const startMs = Date.parse("2026-01-02T03:04:05.000Z");
let projects = 0;
let events = 0;

for (const dialect of testDialects) {
  describe(`mirrored schedules on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(new Date(startMs));
    const newProject = () => {
      projects += 1;
      return addProject(opened.database, `11111111-2222-4333-8444-${String(projects).padStart(12, "0")}`);
    };
    const batchOf = (projectId: string, batch: readonly unknown[]) => ({
      ...{ projectId, agentId, events: batch },
      frameTs: clock.now().toISOString(),
    });

    async function submit(projectId: string, ...batches: unknown[][]) {
      const alone = openIngestAlone({ database: opened.database, clock });
      for (const batch of batches) await alone.ingest.submit(batchOf(projectId, batch));
      await alone.stop();
    }
    const event = (kind: string, data: Record<string, unknown>) => {
      events += 1;
      const id = `00000000-0000-4000-9000-${String(events).padStart(12, "0")}`;
      return {
        id,
        kind: `schedule.${kind}`,
        engine: "bullmq",
        task_id: "",
        occurred_at: clock.now().toISOString(),
        data,
      };
    };
    const at = (sequence: number) => ({ stream: { epoch: 1, sequence } });
    const body = (name: string, more: Record<string, unknown> = {}) => ({
      ...{ name, task_name: "mail", kind: "interval", expression: "60" },
      ...more,
    });
    const rowsOf = (projectId: string) =>
      opened.database.read
        .selectFrom("schedules")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("name")
        .execute();
    const partsOf = (projectId: string) =>
      opened.database.read
        .selectFrom("schedule_snapshot_parts")
        .selectAll()
        .where("project_id", "=", projectId)
        .execute();

    async function storedMirror(projectId: string) {
      const { read } = opened.database;
      const stream = await read
        .selectFrom("schedule_streams")
        .selectAll()
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      const stones = await read
        .selectFrom("schedule_tombstones")
        .selectAll()
        .where("project_id", "=", projectId)
        .execute();
      const place = (row: {
        position_epoch: unknown;
        position_sequence: unknown;
        position_event_id: unknown;
      }): Position => ({
        epoch: Number(row.position_epoch),
        sequence: Number(row.position_sequence),
        eventId: String(row.position_event_id),
      });
      const floor =
        stream === undefined || stream.floor_epoch === null
          ? null
          : {
              epoch: Number(stream.floor_epoch),
              sequence: Number(stream.floor_sequence),
              eventId: String(stream.floor_event_id),
            };
      const rows = (await rowsOf(projectId)).map((row): [string, [Position, unknown]] => {
        const position = place(row);
        // A row that a snapshot leaves unchanged keeps its smaller position; the floor covers it.
        return [row.name, [isAfter(position, floor) ? position : (floor as Position), shown(row)]];
      });
      return {
        rows: Object.fromEntries(rows),
        tombstones: Object.fromEntries(stones.map((row) => [row.name, place(row)])),
        floor,
      };
    }
    const shown = ({
      is_enabled,
      total_runs,
      kwargs,
      definition_digest,
    }: Pick<NativeSchedule, "is_enabled" | "total_runs" | "kwargs" | "definition_digest">) => ({
      ...{ is_enabled, definition_digest, total_runs: Number(total_runs), kwargs: JSON.parse(kwargs) },
    });

    async function check(isConcurrent: boolean, numRuns: number) {
      const second = isConcurrent && dialect === "postgres" ? await opened.openAgain() : opened.database;
      // The projection does not depend on which events are refused before it.
      const requirePositions = async () => {};
      const instances = [opened.database, second].map((database) =>
        openIngestAlone({ database, clock, requirePositions }),
      );
      const delivery = historyArbitrary.chain((history) =>
        fc.record({
          history: fc.constant(history),
          order: fc.shuffledSubarray([...history, ...history], { minLength: history.length }),
          sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 60, maxLength: 60 }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(delivery, async ({ history, order, sizes }) => {
          const projectId = await newProject();
          const rest = [...order, ...history];
          const batches: NativeEvent[][] = [];
          for (const size of sizes) if (rest.length > 0) batches.push(rest.splice(0, size));
          if (rest.length > 0) batches.push(rest);
          const sending = (batch: NativeEvent[], index: number) =>
            (instances[index % 2] as (typeof instances)[number]).ingest.submit(batchOf(projectId, batch));
          if (isConcurrent) await Promise.all(batches.map(sending));
          else for (const batch of batches) await sending(batch, 0);
          const expected = mirrorOf(reportsOf(history, projectId));
          const rows = Object.entries(expected.rows).map(([name, [position, row]]) => [name, [position, shown(row)]]);
          expect(await storedMirror(projectId)).toEqual({ ...expected, rows: Object.fromEntries(rows) });
        }),
        { numRuns },
      );
      for (const instance of instances) await instance.stop();
      if (second !== opened.database) await second.close();
    }

    test("follow from the set of events, whatever their order, repetition and grouping", () => check(false, 40));

    test("are the same through two instances at once", () => check(true, 40));

    test("hold what their scheduler reported", async () => {
      const projectId = await newProject();
      const given = {
        ...{ engine: "celery", timezone: "Europe/Berlin", queue: "q", priority: "high", catch_up: "skip" },
        ...{ overlap_policy: "skip", external_id: "x:1", total_runs: 3, is_enabled: false },
        ...{ args: ["bob@example.com", 1], kwargs: { id: 2 }, last_run_at: "2026-01-01T00:00:00.5Z" },
        next_run_at: "2026-01-03T00:00:00Z",
      };
      const name = "mail to bob@example.com";
      await submit(projectId, [event("created", { schedule: body(name, given), scheduler: "redbeat", ...at(1) })]);
      const [row] = await rowsOf(projectId);
      expect({ ...row, args: JSON.parse(row!.args), kwargs: JSON.parse(row!.kwargs) }).toMatchObject({
        ...{ name, scheduler: "redbeat", kind: "interval", expression: "60", is_enabled: false, external_id: "x:1" },
        ...{ engine: "celery", timezone: "Europe/Berlin", queue: "q", priority: "high", catch_up: "skip" },
        ...{ overlap_policy: "skip", args: ["[REDACTED]", 1], kwargs: { id: 2 }, paused_at: null, source: "native" },
        last_run_at: new Date("2026-01-01T00:00:00.500Z"),
        next_run_at: new Date("2026-01-03T00:00:00.000Z"),
        created_at: clock.now(),
        updated_at: clock.now(),
      });
      expect([row!.total_runs, row!.position_epoch, row!.position_sequence].map(Number)).toEqual([3, 1, 1]);
    });

    test("of other owners and projects stay as they are when a snapshot arrives", async () => {
      const [one, other] = [await newProject(), await newProject()];
      await submit(other, [event("created", { schedule: body("a"), ...at(1) })]);
      await submit(
        one,
        [event("created", { schedule: body("a"), scheduler: "redbeat", ...at(1) })],
        [event("snapshot", { snapshot_id: "s", part: 1, parts: 1, schedules: [body("b")], ...at(9) })],
      );
      const owners = (await rowsOf(one)).map(({ name, scheduler }) => [name, scheduler]);
      expect(owners).toEqual([
        ["a", "redbeat"],
        ["b", "bullmq"],
      ]);
      expect(await rowsOf(other)).toHaveLength(1);
    });

    test("keep id and time of change when a snapshot reports them unchanged", async () => {
      const projectId = await newProject();
      await submit(projectId, [event("created", { schedule: body("a"), ...at(1) })]);
      const [before] = await rowsOf(projectId);
      clock.advance(60_000);
      await submit(projectId, [
        event("snapshot", { snapshot_id: "s", part: 1, parts: 1, schedules: [body("a")], ...at(2) }),
      ]);
      expect(await rowsOf(projectId)).toEqual([before]);
      await submit(projectId, [event("updated", { schedule: body("a", { total_runs: 1 }), ...at(3) })]);
      expect(await rowsOf(projectId)).toMatchObject([{ id: before!.id, updated_at: clock.now() }]);
    });

    test("of a snapshot in parts wait for the last part, for 15 minutes", async () => {
      const projectId = await newProject();
      const part = (number: number, sequence: number, snapshot_id = "s") =>
        event("snapshot", {
          snapshot_id,
          part: number,
          parts: 2,
          schedules: [body(`part ${number}`)],
          ...at(sequence),
        });
      await submit(projectId, [part(2, 2)]);
      expect([await rowsOf(projectId), await partsOf(projectId)]).toMatchObject([[], [{ part: 2 }]]);
      clock.advance(15 * 60_000);
      await submit(projectId, [part(1, 1)]);
      expect(await rowsOf(projectId)).toEqual([]);
      await submit(projectId, [part(2, 2)]);
      expect((await rowsOf(projectId)).map(({ name }) => name)).toEqual(["part 1", "part 2"]);
      expect(await partsOf(projectId)).toEqual([]);
    });

    test("leave no part that waited for 15 minutes", async () => {
      const projectId = await newProject();
      const part = (snapshot_id: string, sequence: number) =>
        event("snapshot", { snapshot_id, part: 2, parts: 2, schedules: [], ...at(sequence) });
      await submit(projectId, [part("old", 2)]);
      clock.advance(15 * 60_000 + 1);
      await submit(projectId, [part("new", 4)]);
      const { signal } = new AbortController();
      await pruneSnapshotParts.tick({ database: opened.database, clock, signal });
      expect(await partsOf(projectId)).toMatchObject([{ snapshot_id: "new" }]);
    });

    test("whose events cannot be read leave the other events of the batch alone, and the answer says why", async () => {
      const projectId = await newProject();
      const alone = openIngestAlone({ database: opened.database, clock });
      const outcome = await alone.ingest.submit(
        batchOf(projectId, [event("created", { schedule: { name: "a" } }), event("created", { schedule: body("b") })]),
      );
      await alone.stop();
      expect(outcome).toMatchObject({
        inserted: 2,
        errors: ["event 0: stored without effect: the task_name of the schedule is missing or invalid"],
      });
      expect((await rowsOf(projectId)).map(({ name }) => name)).toEqual(["b"]);
    });
  });
}
