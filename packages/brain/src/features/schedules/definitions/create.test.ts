import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { nightly, schedulesPath as path, useSchedules } from "../../../../test/fixtures/schedules/schedules-fixture.ts";

for (const dialect of routeDialects) {
  describe(`a new schedule on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { create, get, changes, actionsOf, add } = schedules;

    describe("POST", () => {
      test("creates a schedule with its next slot and its defaults", async () => {
        const { status, body } = await create();
        expect(status).toBe(201);
        expect(body).toEqual({
          ...nightly,
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          project_id: schedules.brain.project.id,
          scheduler: "svc-scheduler",
          queue: null,
          priority: "normal",
          args: [],
          kwargs: {},
          catch_up: "fire_one_missed",
          overlap_policy: "allow",
          is_enabled: true,
          source: "dashboard",
          source_hash: null,
          late_start_seconds: null,
          long_run_seconds: null,
          description: "Every day at 02:30 (Europe/Berlin)",
          last_run_at: null,
          next_run_at: "2026-03-28T01:30:00.000Z",
          total_runs: 0,
          consecutive_failures: null,
          skipped_slots_24h: 0,
          external_id: null,
          paused_at: null,
          quarantine_code: null,
          quarantine_detail: null,
          quarantined_at: null,
          control_token: expect.any(String),
          schedule_revision: expect.any(Number),
          created_at: schedules.clock.now().toISOString(),
          updated_at: schedules.clock.now().toISOString(),
        });
        expect(await changes()).toMatchObject([
          {
            revision: body.schedule_revision,
            schedule_id: body.id,
            project_id: schedules.brain.project.id,
            change_kind: "upsert",
          },
        ]);
        expect(await actionsOf(body.id)).toEqual(["schedule.create"]);
      });

      test("keeps numbers with all their digits", async () => {
        const text = JSON.stringify({ ...nightly, args: [0] }).replace("[0]", "[12345678901234567890, 0.10]");
        const made = await schedules.brain.as.admin.post(path, text);
        expect(made.text).toContain('"args":[12345678901234567890,0.1');
        expect((await get(made.body.id)).text).toContain('"args":[12345678901234567890,0.1');
      });

      test("keeps every given member", async () => {
        const given = {
          ...nightly,
          queue: "emails",
          priority: "high",
          args: [1, "two", { three: [null] }],
          kwargs: { "bob@example.com": "bob@example.com" },
          catch_up: "fire_all_missed",
          overlap_policy: "skip",
          is_enabled: false,
          source: "terraform",
          source_hash: "abc",
          late_start_seconds: 1,
          long_run_seconds: 86_400,
          scheduler: "svc-scheduler",
        };
        const { body } = await create(given);
        expect(body).toMatchObject({ ...given, next_run_at: null });
      });

      test("gives a first slot of an interval one interval after its creation", async () => {
        const { body } = await create({ kind: "interval", expression: "90" });
        expect(body.next_run_at).toBe(new Date(schedules.clock.now().getTime() + 90_000).toISOString());
      });

      test("takes an empty time zone as UTC, and an empty queue as none", async () => {
        expect((await create({ timezone: "", queue: "" })).body).toMatchObject({ timezone: "UTC", queue: null });
      });

      test.each([
        ["expression", "invalid_cron", { expression: "61 * * * *" }],
        ["expression", "invalid_cron", { expression: " " }],
        ["expression", "never_matches", { expression: "0 0 30 2 *" }],
        ["expression", "never_matches", { expression: "0 0 30 2 *", is_enabled: false }],
        ["expression", "invalid_interval", { kind: "interval", expression: "0" }],
        ["expression", "invalid_instant", { kind: "clocked", expression: "tomorrow" }],
        ["expression", "never_matches", { kind: "clocked", expression: "2026-03-27T12:00:00Z" }],
        ["expression", "invalid_solar", { kind: "solar", expression: "sunset:91:0" }],
        ["timezone", "unknown_timezone", { timezone: "localtime" }],
        ["timezone", "unknown_timezone", { timezone: "Europe/Nowhere" }],
        ["kind", "invalid_kind", { kind: "weekly" }],
        ["kind", "invalid_kind", { kind: ["cron"] }],
        ["kwargs", "reserved", { kwargs: { __svc_id: 1 } }],
        ["args", "too_long", { args: ["x".repeat(65_536)] }],
        ["kwargs", "too_long", { kwargs: { x: "x".repeat(65_536) } }],
      ])("refuses a wrong %s with the reason %s: %j", async (field, reason, given) => {
        const { status, body } = await create(given);
        expect(status).toBe(422);
        expect(body).toMatchObject({ error: "validation_error", details: { reason, field } });
        expect(body.details.errors).toMatchObject([{ loc: ["body", field], type: reason }]);
      });

      test("takes a date and time in the past when it is not enabled", async () => {
        const once = { kind: "clocked", expression: "2026-03-27T11:59:59Z", is_enabled: false };
        expect((await create(once)).body).toMatchObject({ next_run_at: null });
      });

      test.each([
        { name: "" },
        { name: " " },
        { name: "x".repeat(201) },
        { name: "a\nb" },
        { engine: "" },
        { engine: "x".repeat(41) },
        { expression: "" },
        { expression: "x".repeat(1025) },
        { task_name: "" },
        { task_name: "x".repeat(501) },
        { timezone: null },
        { queue: "x".repeat(201) },
        { priority: "urgent" },
        { args: {} },
        { kwargs: [] },
        { catch_up: "all" },
        { overlap_policy: "wait" },
        { is_enabled: "yes" },
        { source: null },
        { source_hash: "x".repeat(129) },
        { late_start_seconds: 0 },
        { long_run_seconds: 86_401 },
        { late_start_seconds: 1.5 },
        { unknown: 1 },
      ])("refuses a body with %j", async (given) => {
        const { status, body } = await create(given);
        expect([status, body.error]).toEqual([422, "validation_error"]);
      });

      test.each(["name", "engine", "kind", "expression", "task_name"])("refuses a body without %s", async (member) => {
        expect((await create({ [member]: undefined })).status).toBe(422);
      });

      test("refuses a name in use, but not that of another scheduler's schedule", async () => {
        await add({ name: "nightly" });
        expect((await create()).status).toBe(201);
        const { status, body } = await create();
        expect([status, body.error, body.details]).toEqual([409, "conflict", { reason: "name_in_use" }]);
        expect(await changes()).toHaveLength(1);
      });

      test("refuses an owner that defines its schedules itself", async () => {
        const { status, body } = await create({ scheduler: "bullmq" });
        expect([status, body.details]).toEqual([409, { reason: "native_scheduler", scheduler: "bullmq" }]);
      });

      test("refuses an owner that the project does not allow", async () => {
        await schedules.brain.as.admin.patch("/projects/shop", { allowed_schedulers: ["svc-scheduler"] });
        const { status, body } = await create({ scheduler: "bullmq" });
        await schedules.brain.as.admin.patch("/projects/shop", { allowed_schedulers: null });
        expect([status, body.details.reason, body.details.field]).toEqual([422, "scheduler_not_allowed", "scheduler"]);
      });

      test("uses the default owner of the project", async () => {
        await schedules.brain.as.admin.patch("/projects/shop", { default_scheduler_owner: "bullmq" });
        const { status, body } = await create({ scheduler: null });
        const named = await create({ scheduler: "svc-scheduler" });
        await schedules.brain.as.admin.patch("/projects/shop", { default_scheduler_owner: "svc-scheduler" });
        expect([status, body.details.reason, named.status]).toEqual([409, "native_scheduler", 201]);
      });
    });
  });
}
