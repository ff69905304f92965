import { randomUUID } from "node:crypto";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, fireRequest, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import { ownScheduleRow } from "../../../../test/rows/fire-rows.ts";
import type { BrainDatabase, ScheduleRow } from "../../../schema/tables/index.ts";
import { ownOrigin } from "../../audit/index.ts";

for (const dialect of testDialects) {
  describe(`the buffer of fires on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fires = useFires(opened);
    const { open, clock, newProject, newAgent, newSchedule, firesOf, pendingOf, scheduleOf } = fires;
    beforeEach(async () => {
      clock.setWall(slot);
      await opened.database.write((tx) => tx.deleteFrom("pending_fires").execute());
    });

    /** A schedule whose `count` slots, one a minute, wait for an agent. */
    async function buffered(count: number, given: Partial<ScheduleRow> = {}) {
      const schedule = await newSchedule({ project_id: await newProject(), ...given });
      const process = open();
      for (let index = 0; index < count; index += 1) {
        clock.setWall(after(index * 60));
        await process.calls.fire(fireRequest(schedule, { scheduledFor: after(index * 60) }));
      }
      return { schedule, ...process };
    }

    /** A schedule for each of the engines, whose first slot waits for an agent. */
    async function bufferedEach(engines: readonly string[], given: Partial<ScheduleRow> & { project_id: string }) {
      const schedules = engines.map((engine) => ownScheduleRow({ next_run_at: slot, ...given, engine }));
      await opened.database.write((tx) => tx.insertInto("schedules").values(schedules).execute());
      const { calls } = open();
      await Promise.all(schedules.map((schedule) => calls.fire(fireRequest(schedule))));
      return schedules;
    }
    const projectFires = (projectId: string) =>
      opened.database.read
        .selectFrom("schedule_fires")
        .select(["schedule_id", "status", "scheduled_for", "command_id"])
        .where("project_id", "=", projectId)
        .execute();
    const countsOf = async (projectId: string) => {
      const byStatus = Map.groupBy(await projectFires(projectId), ({ status }) => status);
      return Object.fromEntries([...byStatus].map(([status, of]) => [status, of.length]));
    };
    /** The database of a process, which calls `then` after each transaction. */
    const afterPages = (then: () => void): BrainDatabase => ({
      ...opened.database,
      async write(work, options) {
        const result = await opened.database.write(work, options);
        then();
        return result;
      },
    });
    const statusesOf = async ({ id }: ScheduleRow) => (await firesOf(id)).map(({ status }) => status);

    test.each([
      ["fire_all_missed", ["delivered", "delivered", "delivered"]],
      ["fire_one_missed", ["buffer_expired", "buffer_expired", "delivered"]],
      ["skip", ["buffer_expired", "delivered", "delivered"]],
    ])("is replayed as %s says once an agent is there", async (catch_up, statuses) => {
      const {
        schedule,
        fires: { buffer },
        commands,
      } = await buffered(3, { catch_up });
      expect(await buffer.tick()).toBe(0);
      expect(await statusesOf(schedule)).toEqual(["buffered", "buffered", "buffered"]);
      const agentId = await newAgent(schedule.project_id);

      expect(await buffer.tick()).toBe(3);

      expect(await statusesOf(schedule)).toEqual(statuses);
      expect(await pendingOf(schedule.id)).toEqual([]);
      const rows = await firesOf(schedule.id);
      const dropped = rows.filter(({ status }) => status === "buffer_expired");
      for (const row of dropped) expect(row).toMatchObject({ error_code: "superseded", command_id: null });
      const reach = { capabilities: { bullmq: ["submit_task"] }, retryContracts: new Set<string>() };
      const claimed = await commands.claim({ agentId, max: 10, ...reach });
      const delivered = rows.filter(({ status }) => status === "delivered");
      expect(claimed.commands.map(({ id }) => id)).toEqual(delivered.map(({ command_id }) => command_id));
      const slots = claimed.commands.map(
        ({ payload }) => (payload.parameters as { scheduled_for: string }).scheduled_for,
      );
      expect(slots).toEqual(delivered.map(({ scheduled_for }) => scheduled_for.toISOString()));
    });

    test("is replayed for the project of an agent that connects", async () => {
      const { schedule } = await buffered(1);
      await newAgent(schedule.project_id);
      const page = Promise.withResolvers<void>();
      const { buffer } = open(afterPages(page.resolve)).fires;
      buffer.agentConnected(schedule.project_id);
      await page.promise;
      await buffer.stop();
      expect(await statusesOf(schedule)).toEqual(["delivered"]);
    });

    test("is replayed once by two processes", async () => {
      const {
        schedule,
        fires: { buffer },
      } = await buffered(3, { catch_up: "fire_all_missed" });
      await newAgent(schedule.project_id);
      const other = await opened.openAgain();
      const both = await Promise.all([buffer.tick(), open(other).fires.buffer.tick()]);
      expect(both[0] + both[1]).toBe(3);
      const commands = opened.database.read.selectFrom("commands").select("id");
      expect(await commands.where("project_id", "=", schedule.project_id).execute()).toHaveLength(3);
      await other.close();
    });

    test("holds more fires than one transaction handles", async () => {
      const {
        schedule,
        fires: { buffer },
      } = await buffered(120, { catch_up: "fire_one_missed" });
      await newAgent(schedule.project_id);
      expect(await buffer.tick()).toBe(120);
      const statuses = await statusesOf(schedule);
      expect(statuses.filter((status) => status === "delivered")).toHaveLength(1);
      expect(statuses.at(-1)).toBe("delivered");
    });

    test("is emptied in one round, however many schedules wait, and also the fires that were recent when it began", async () => {
      const project_id = await newProject();
      await bufferedEach(Array(520).fill("bullmq"), { project_id, catch_up: "skip" });
      await newAgent(project_id);
      clock.setWall(after(55));
      const { buffer } = open(afterPages(() => clock.advance(2_000))).fires;
      expect(await buffer.tick()).toBe(520);
      expect(await countsOf(project_id)).toEqual({ delivered: 520 });
    });

    test("delivers to each project and engine in turn", async () => {
      const projects = [await newProject(), await newProject()];
      for (const project_id of projects) {
        await bufferedEach(Array(120).fill("bullmq"), { project_id });
        await newAgent(project_id);
      }
      const { buffer } = open(afterPages(() => clock.advance(1_000))).fires;
      expect(await buffer.tick()).toBe(240);
      for (const id of projects) {
        const commands = opened.database.read.selectFrom("commands").select("issued_at").where("project_id", "=", id);
        const last = await commands.orderBy("issued_at", "desc").limit(1).executeTakeFirstOrThrow();
        // The second page of one comes after the first page of both.
        expect(last.issued_at.getTime()).toBeGreaterThanOrEqual(after(2).getTime());
      }
    });

    test("reaches an engine behind any number of engines without an agent", async () => {
      const project_id = await newProject();
      const engines = Array.from({ length: 510 }, (_, index) => `a${index}`);
      await bufferedEach([...engines, "bullmq"], { project_id });
      await newAgent(project_id);
      expect(await open().fires.buffer.tick()).toBe(1);
      expect(await countsOf(project_id)).toEqual({ buffered: 510, delivered: 1 });
    });

    test("is left after the page in progress when the service stops", async () => {
      const project_id = await newProject();
      await bufferedEach(Array(220).fill("bullmq"), { project_id });
      await newAgent(project_id);
      const { buffer } = open(afterPages(() => void buffer.stop())).fires;
      expect(await buffer.tick()).toBe(100);
      expect(await countsOf(project_id)).toEqual({ buffered: 120, delivered: 100 });
    });

    test("is not overtaken by the next slot of a schedule that fires all missed slots", async () => {
      const {
        schedule,
        calls,
        commands,
        fires: { buffer },
      } = await buffered(2, { catch_up: "fire_all_missed" });
      const agentId = await newAgent(schedule.project_id);
      const next = fireRequest(schedule, { scheduledFor: after(120) });
      const answer = await calls.fire(next);
      expect(answer).toMatchObject({ disposition: "ACCEPTED", isBuffered: true, commandId: null, totalRuns: 3 });
      expect(await calls.fire(next)).toEqual(answer);
      expect(await buffer.tick()).toBe(3);
      expect(await calls.fire(fireRequest(schedule, { scheduledFor: after(180) }))).toMatchObject({
        isBuffered: false,
        commandId: expect.any(String),
      });
      const reach = { capabilities: { bullmq: ["submit_task"] }, retryContracts: new Set<string>() };
      const claimed = await commands.claim({ agentId, max: 10, ...reach });
      const slots = claimed.commands.map(
        ({ payload }) => (payload.parameters as { scheduled_for: string }).scheduled_for,
      );
      expect(slots).toEqual([0, 60, 120, 180].map((seconds) => after(seconds).toISOString()));
    });

    test("does not delay a run by hand", async () => {
      const { schedule, fires } = await buffered(1, { catch_up: "fire_all_missed" });
      await newAgent(schedule.project_id);
      const requester = { projectId: schedule.project_id, userId: randomUUID(), origin: ownOrigin };
      expect(await fires.trigger(schedule.id, requester)).toMatchObject({ commandId: expect.any(String) });
    });

    test.each<[string, Partial<ScheduleRow>, Partial<ScheduleRow>]>([
      ["of another policy", { catch_up: "fire_one_missed" }, {}],
      ["that was edited since", { catch_up: "fire_all_missed" }, { definition_digest: "edited" }],
    ])("does not delay the next slot of a schedule %s", async (_what, given, edit) => {
      const { schedule, calls } = await buffered(1, given);
      await opened.database.write((tx) =>
        tx
          .updateTable("schedules")
          .set({ catch_up: schedule.catch_up, ...edit })
          .where("id", "=", schedule.id)
          .execute(),
      );
      await newAgent(schedule.project_id);
      const request = fireRequest({ ...schedule, ...edit }, { scheduledFor: after(60) });
      expect(await calls.fire(request)).toMatchObject({ disposition: "ACCEPTED", isBuffered: false });
    });

    test("drops fires whose definition was edited while they waited", async () => {
      const {
        schedule,
        fires: { buffer },
      } = await buffered(2, { catch_up: "fire_all_missed" });
      await newAgent(schedule.project_id);
      await opened.database.write((tx) =>
        tx.updateTable("schedules").set({ definition_digest: "edited" }).where("id", "=", schedule.id).execute(),
      );
      await buffer.tick();
      expect(await firesOf(schedule.id)).toMatchObject([
        { status: "buffer_stale", error_code: "definition_changed" },
        { status: "buffer_stale", error_code: "definition_changed" },
      ]);
      expect(await pendingOf(schedule.id)).toEqual([]);
    });

    test("drops expired fires although no agent is there", async () => {
      const {
        schedule,
        fires: { buffer },
      } = await buffered(2);
      clock.setWall(after(7 * 86_400));
      expect(await buffer.tick()).toBe(1);
      expect(await firesOf(schedule.id)).toMatchObject([
        { status: "buffer_expired", error_code: "expired" },
        { status: "buffered", error_code: null },
      ]);
    });

    test("delivers the fire of a clocked schedule, which has disabled it", async () => {
      const schedule = await newSchedule({
        ...{ project_id: await newProject(), kind: "clocked", expression: slot.toISOString() },
      });
      const {
        calls,
        fires: { buffer },
      } = open();
      await calls.fire(fireRequest(schedule, { preparedNextRunAt: null }));
      expect((await scheduleOf(schedule.id)).is_enabled).toBe(false);
      await newAgent(schedule.project_id);
      await buffer.tick();
      expect(await statusesOf(schedule)).toEqual(["delivered"]);
    });

    test("keeps the fires of archived projects", async () => {
      const {
        schedule,
        fires: { buffer },
      } = await buffered(1);
      await newAgent(schedule.project_id);
      await opened.database.write((tx) =>
        tx.updateTable("projects").set({ is_active: false }).where("id", "=", schedule.project_id).execute(),
      );
      expect(await buffer.tick()).toBe(0);
      expect(await statusesOf(schedule)).toEqual(["buffered"]);
    });
  });
}
