import { randomUUID } from "node:crypto";
import { testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { nightly, useSchedules } from "../../../../test/fixtures/schedules/schedules-fixture.ts";

for (const dialect of testDialects) {
  describe(`a schedule on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { create, patch, remove, get, changes, actionsOf } = schedules;

    describe("PATCH", () => {
      test("changes the definition, with a new token, a new revision and the next slot from now on", async () => {
        const { body: made } = await create({ kind: "interval", expression: "3600", queue: "a", source_hash: "h" });
        schedules.clock.advance(60_000);
        const { status, body } = await patch(made.id, { expression: "60", queue: null, source_hash: null, args: [1] });
        expect(status).toBe(200);
        expect(body).toEqual({
          ...made,
          expression: "60",
          description: "Every minute",
          queue: null,
          source_hash: null,
          args: [1],
          next_run_at: new Date(schedules.clock.now().getTime() + 60_000).toISOString(),
          updated_at: schedules.clock.now().toISOString(),
          control_token: expect.any(String),
          schedule_revision: made.schedule_revision + 1,
        });
        expect(body.control_token).not.toBe(made.control_token);
        expect((await changes()).at(-1)).toMatchObject({ revision: body.schedule_revision, change_kind: "upsert" });
        expect(await actionsOf(made.id)).toEqual(["schedule.create", "schedule.update"]);
      });

      test("keeps a slot that is due when only names or limits change", async () => {
        const { body: made } = await create({ kind: "interval", expression: "60" });
        schedules.clock.advance(61_000);
        const { body } = await patch(made.id, { name: "renamed", late_start_seconds: 30 });
        expect(body).toMatchObject({ name: "renamed", late_start_seconds: 30, next_run_at: made.next_run_at });
        expect(body.schedule_revision).toBeGreaterThan(made.schedule_revision);
        expect((await patch(made.id, { late_start_seconds: null })).body.late_start_seconds).toBeNull();
      });

      test("changes nothing when it says what is stored", async () => {
        const { body: made } = await create({ kwargs: { b: 1, a: 2 } });
        const same = await patch(made.id, { ...nightly, kwargs: { a: 2, b: 1 } });
        expect([same.status, same.body]).toEqual([200, made]);
        expect((await patch(made.id, {})).body).toEqual(made);
        expect(await changes()).toHaveLength(1);
        expect(await actionsOf(made.id)).toEqual(["schedule.create"]);
      });

      test("enables and disables", async () => {
        const { body: made } = await create();
        expect((await patch(made.id, { is_enabled: false })).body).toMatchObject({
          is_enabled: false,
          next_run_at: null,
        });
        expect((await patch(made.id, { is_enabled: true })).body.next_run_at).toBe(made.next_run_at);
      });

      test.each([
        { scheduler: "svc-scheduler" },
        { source: "x" },
        { name: null },
        { engine: null },
        { timezone: null },
        { args: null },
        { kwargs: null },
        { priority: null },
        { catch_up: null },
        { is_enabled: null },
      ])("refuses %j", async (body) => {
        const { body: made } = await create();
        expect((await patch(made.id, body)).status).toBe(422);
      });

      test("refuses a wrong cadence with the reason, and changes nothing", async () => {
        const { body: made } = await create();
        const { status, body } = await patch(made.id, { timezone: "Mars/Base", queue: "x" });
        expect([status, body.details.reason, body.details.field]).toEqual([422, "unknown_timezone", "timezone"]);
        expect((await get(made.id)).body).toMatchObject({ queue: null, control_token: made.control_token });
      });

      test("refuses a name in use", async () => {
        await create({ name: "first" });
        const { body: made } = await create();
        const { status, body } = await patch(made.id, { name: "first" });
        expect([status, body.details]).toEqual([409, { reason: "name_in_use" }]);
      });
    });

    describe("DELETE", () => {
      test("deletes the schedule and leaves a tombstone for schedulers", async () => {
        const { body: made } = await create();
        expect((await remove(made.id)).status).toBe(204);
        expect((await changes()).map(({ change_kind }) => change_kind)).toEqual(["upsert", "delete"]);
        expect((await get(made.id)).status).toBe(404);
        expect((await remove(made.id)).status).toBe(404);
        expect(await actionsOf(made.id)).toEqual(["schedule.create", "schedule.delete"]);
      });
    });

    test("PATCH of an unknown schedule is 404", async () => {
      expect((await patch(randomUUID(), { queue: null })).status).toBe(404);
    });
  });
}
