import { randomUUID } from "node:crypto";
import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { nightly, schedulesPath as path, useSchedules } from "../../../test/fixtures/schedules/schedules-fixture.ts";

for (const dialect of routeDialects) {
  describe(`schedules on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { changes, create, patch, remove, act, get, add } = schedules;

    describe("GET", () => {
      test("lists by name and id in pages that hold every schedule once", async () => {
        for (const name of ["b", "a|x", "C", "a", "ä"]) await create({ name });
        await add({ name: "a" });
        const names: string[] = [];
        let cursor: string | null = null;
        do {
          const query = new URLSearchParams({ limit: "2", ...(cursor !== null && { cursor }) });
          const { body } = await schedules.brain.as.viewer.get(`${path}?${query}`);
          expect(body.circuit_breaker_threshold).toBe(5);
          for (const item of body.items) names.push(item.name);
          cursor = body.next_cursor;
        } while (cursor !== null);
        expect(names).toEqual(["C", "a", "a", "a|x", "b", "ä"]);
      });

      test("has cursors of name and id, and starts from the top with a malformed one", async () => {
        const { body: first } = await create({ name: "a|b" });
        await create({ name: "c" });
        const { body } = await schedules.brain.as.viewer.get(`${path}?limit=1`);
        const text = Buffer.from(body.next_cursor, "base64url").toString();
        expect(text).toBe(`a|b|${first.id.replaceAll("-", "")}`);
        const again = await schedules.brain.as.viewer.get(
          `${path}?limit=1&cursor=${Buffer.from("a").toString("base64url")}`,
        );
        expect(again.body.items[0].name).toBe("a|b");
      });

      test("counts failures in a row and the skipped slots of a day", async () => {
        const { body: made } = await create();
        const { body: other } = await create({ name: "other" });
        const project_id = schedules.brain.project.id;
        const now = schedules.clock.now().getTime();
        const statuses = ["acked_success", "failed", "acked_failed", "failed"];
        const fires = statuses.map((status, index) => ({
          ...{ id: randomUUID(), project_id, schedule_id: made.id as string, fire_id: randomUUID(), command_id: null },
          ...{
            status,
            scheduled_for: schedules.clock.now(),
            fired_at: new Date(now + index),
            dispatched_at: null,
            acked_at: null,
          },
          ...{ latency_ms: null, error_code: null, error_message: null, triggered_by_user_id: null },
          ...{ engine: "bullmq", task_id: null },
        }));
        const skips = [1, 23, 25].map((hours) => ({
          ...{ id: randomUUID(), project_id, schedule_id: made.id as string, count: hours },
          skipped_at: new Date(now - hours * 3_600_000),
        }));
        await schedules.database.write(async (tx) => {
          await tx.insertInto("schedule_fires").values(fires).execute();
          await tx.insertInto("schedule_skips").values(skips).execute();
        });
        const { items } = (await schedules.brain.as.viewer.get(path)).body;
        const facts = items.map((item: Record<string, unknown>) => [item.consecutive_failures, item.skipped_slots_24h]);
        expect(facts).toEqual([
          [3, 24],
          [0, 0],
        ]);
        expect((await get(made.id)).body).toMatchObject({ consecutive_failures: 3, skipped_slots_24h: 24 });
        expect((await act(made.id, "pause")).body).toMatchObject({ consecutive_failures: null, skipped_slots_24h: 24 });
        expect(other.consecutive_failures).toBeNull();
      });

      test("adds the next slots across a change of clocks, from the stored one", async () => {
        const { body: made } = await create();
        const { body } = await get(made.id, "?preview=3");
        expect(body.next_runs).toEqual([
          "2026-03-28T01:30:00.000Z",
          "2026-03-29T01:00:00.000Z",
          "2026-03-30T00:30:00.000Z",
        ]);
        expect((await get(made.id)).body).not.toHaveProperty("next_runs");
        expect((await get(made.id, "?preview=0")).body.next_runs).toEqual([]);
        for (const wrong of ["51", "-1", "x"]) expect((await get(made.id, `?preview=${wrong}`)).status).toBe(422);
      });

      test("previews a disabled one as if it were enabled now", async () => {
        const { body: made } = await create({ is_enabled: false, kind: "interval", expression: "60" });
        const at = (seconds: number) => new Date(schedules.clock.now().getTime() + seconds * 1000).toISOString();
        expect((await get(made.id, "?preview=2")).body.next_runs).toEqual([at(60), at(120)]);
      });

      test("shows an expression of an engine that is not understood", async () => {
        const next_run_at = new Date("2026-04-01T00:00:00Z");
        const id = await add({ kind: "rrule", expression: "FREQ=DAILY", next_run_at });
        expect((await get(id, "?preview=5")).body).toMatchObject({
          description: null,
          next_run_at: next_run_at.toISOString(),
          next_runs: [next_run_at.toISOString()],
        });
      });

      test("answers 404 for unknown schedules and those of other projects", async () => {
        const other = await schedules.brain.addProject(`p-${randomUUID().slice(0, 8)}`, "Other");
        const { body: made } = await create();
        expect((await schedules.brain.as.viewer.get(`/projects/${other.slug}/schedules/${made.id}`)).status).toBe(404);
        expect((await get(randomUUID())).body).toMatchObject({ error: "not_found", details: { resource: "schedule" } });
      });
    });

    describe("a schedule of an engine's scheduler", () => {
      test.each([
        ["PATCH", (id: string) => patch(id, { queue: "x" })],
        ["DELETE", (id: string) => remove(id)],
        ["pause", (id: string) => act(id, "pause")],
        ["resume", (id: string) => act(id, "resume")],
      ])("is not changed by %s", async (_name, request) => {
        const { status, body } = await request(await add());
        expect([status, body.details]).toEqual([409, { reason: "native_schedule", scheduler: "bullmq" }]);
      });

      test("cannot be enabled or disabled without an agent", async () => {
        const id = await add();
        for (const action of ["enable", "disable"]) {
          const { status, body } = await act(id, action);
          expect([status, body.details]).toEqual([409, { reason: "no_online_agent" }]);
        }
      });
    });

    test("old changes and skips are deleted by loops", async () => {
      const { body: made } = await create();
      const { database, clock, brain } = schedules;
      const ago = (hours: number) => new Date(clock.now().getTime() - hours * 3_600_000);
      const change = { project_id: brain.project.id, schedule_id: made.id as string, change_kind: "upsert" };
      const skip = { project_id: brain.project.id, schedule_id: made.id as string, count: 1 };
      await database.write(async (tx) => {
        const old = [193, 191].map((hours) => ({ ...change, revision: -hours, changed_at: ago(hours) }));
        await tx.insertInto("schedule_changes").values(old).execute();
        const skips = [49, 47, 0].map((hours) => ({ ...skip, id: randomUUID(), skipped_at: ago(hours) }));
        await tx.insertInto("schedule_skips").values(skips).execute();
      });
      await brain.runLoop("schedules.changes-retention");
      await brain.runLoop("schedules.skips-retention");
      expect((await changes()).map(({ revision }) => revision)).toEqual([-191, made.schedule_revision]);
      const left = await database.read.selectFrom("schedule_skips").select("skipped_at").execute();
      expect(left).toHaveLength(2);
    });

    describe("an operation on a schedule of an engine", () => {
      test("is shown to members of its project", async () => {
        const id = await add();
        const at = schedules.clock.now();
        const shown = {
          ...{
            id: randomUUID(),
            schedule_id: id,
            command_id: randomUUID(),
            action: "schedule.enable",
            status: "pending",
          },
          ...{ desired_is_enabled: true, error: null, created_at: at, updated_at: at },
        };
        const row = { ...shown, project_id: schedules.brain.project.id };
        await schedules.database.write((tx) => tx.insertInto("external_control_operations").values(row).execute());
        const operations = `${path}/external-control-operations`;
        const { status, body } = await schedules.brain.as.viewer.get(`${operations}/${shown.id}`);
        expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(shown))]);
        expect((await schedules.brain.as.viewer.get(`${operations}/${randomUUID()}`)).status).toBe(404);
        const pending = async () => (await schedules.brain.as.viewer.get(`${path}/${id}`)).body.pending_operation;
        expect(await pending()).toEqual(body);
        await schedules.database.write((tx) =>
          tx
            .updateTable("external_control_operations")
            .set({ status: "succeeded" })
            .where("id", "=", shown.id)
            .execute(),
        );
        expect(await pending()).toBeNull();
      });
    });

    test("schedules of an archived project are read only", async () => {
      const other = await schedules.brain.addProject(`p-${randomUUID().slice(0, 8)}`, "Other");
      const base = `/projects/${other.slug}/schedules`;
      const made = (await schedules.brain.as.root.post(base, nightly)).body;
      await schedules.brain.as.root.delete(`/projects/${other.slug}`);
      const found = [
        await schedules.brain.as.root.post(base, { ...nightly, name: "x" }),
        await schedules.brain.as.root.post(`${base}/${made.id}/pause`),
      ];
      expect(found.map(({ status, body }) => [status, body.error])).toEqual(found.map(() => [409, "conflict"]));
      expect((await schedules.brain.as.root.get(`${base}/${made.id}`)).body).toMatchObject({ id: made.id });
      const kinds = async () => (await changes()).map(({ change_kind }) => change_kind);
      expect(await kinds()).toEqual(["upsert", "delete"]);
      await schedules.brain.as.root.patch(`/projects/${other.slug}`, { is_active: true });
      expect(await kinds()).toEqual(["upsert", "delete", "upsert"]);
    });
  });
}
