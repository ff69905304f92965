import { randomUUID } from "node:crypto";
import { createFakeClock, type FakeClock } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scheduleRow } from "../../../test/rows/schedule-rows.ts";

const path = "/projects/shop/schedules";
const start = new Date("2026-03-27T12:00:00.000Z");
const nightly = {
  name: "nightly",
  engine: "bullmq",
  kind: "cron",
  expression: "30 2 * * *",
  timezone: "Europe/Berlin",
  task_name: "send-invoices",
};

for (const dialect of routeDialects) {
  describe(`schedules on ${dialect}`, () => {
    let brain: TestBrain;
    let clock: FakeClock;
    const create = (body: object = {}) => brain.as.admin.post(path, { ...nightly, ...body });
    const patch = (id: string, body: unknown) => brain.as.admin.patch(`${path}/${id}`, body);
    const act = (id: string, action: string) => brain.as.operator.post(`${path}/${id}/${action}`);
    const get = (id: string, query = "") => brain.as.viewer.get(`${path}/${id}${query}`);
    const changes = () =>
      brain.running.brain.database.read.selectFrom("schedule_changes").selectAll().orderBy("revision").execute();
    async function actionsOf(id: string): Promise<string[]> {
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .select("action")
        .where("target_id", "=", id)
        .orderBy("occurred_us")
        .execute();
      return rows.map(({ action }) => action);
    }
    async function addNative(given: object = {}): Promise<string> {
      const row = scheduleRow({ project_id: brain.project.id, scheduler: "bullmq", ...given });
      await brain.running.brain.database.write((tx) => tx.insertInto("schedules").values(row).execute());
      return row.id;
    }

    beforeAll(async () => {
      clock = createFakeClock(start);
      brain = await startTestBrain({ dialect, clock });
    });
    afterAll(() => brain.stop());
    beforeEach(async () => {
      await brain.running.brain.database.write(async (tx) => {
        await tx.deleteFrom("schedules").execute();
        await tx.deleteFrom("schedule_changes").execute();
      });
    });

    describe("POST", () => {
      test("creates a schedule with its next slot and its defaults", async () => {
        const { status, body } = await create();
        expect(status).toBe(201);
        expect(body).toEqual({
          ...nightly,
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          project_id: brain.project.id,
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
          created_at: clock.now().toISOString(),
          updated_at: clock.now().toISOString(),
        });
        expect(await changes()).toMatchObject([
          {
            revision: body.schedule_revision,
            schedule_id: body.id,
            project_id: brain.project.id,
            change_kind: "upsert",
          },
        ]);
        expect(await actionsOf(body.id)).toEqual(["schedule.create"]);
      });

      test("keeps numbers with all their digits", async () => {
        const text = JSON.stringify({ ...nightly, args: [0] }).replace("[0]", "[12345678901234567890, 0.10]");
        const made = await brain.as.admin.post(path, text);
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
        expect(body.next_run_at).toBe(new Date(clock.now().getTime() + 90_000).toISOString());
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
        await addNative({ name: "nightly" });
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
        await brain.as.admin.patch("/projects/shop", { allowed_schedulers: ["svc-scheduler"] });
        const { status, body } = await create({ scheduler: "bullmq" });
        await brain.as.admin.patch("/projects/shop", { allowed_schedulers: null });
        expect([status, body.details.reason, body.details.field]).toEqual([422, "scheduler_not_allowed", "scheduler"]);
      });

      test("uses the default owner of the project", async () => {
        await brain.as.admin.patch("/projects/shop", { default_scheduler_owner: "bullmq" });
        const { status, body } = await create({ scheduler: null });
        const named = await create({ scheduler: "svc-scheduler" });
        await brain.as.admin.patch("/projects/shop", { default_scheduler_owner: "svc-scheduler" });
        expect([status, body.details.reason, named.status]).toEqual([409, "native_scheduler", 201]);
      });
    });

    describe("GET", () => {
      test("lists by name and id in pages that hold every schedule once", async () => {
        for (const name of ["b", "a|x", "C", "a", "ä"]) await create({ name });
        await addNative({ name: "a" });
        const names: string[] = [];
        let cursor: string | null = null;
        do {
          const query = new URLSearchParams({ limit: "2", ...(cursor !== null && { cursor }) });
          const { body } = await brain.as.viewer.get(`${path}?${query}`);
          expect(body.circuit_breaker_threshold).toBe(5);
          for (const item of body.items) names.push(item.name);
          cursor = body.next_cursor;
        } while (cursor !== null);
        expect(names).toEqual(["C", "a", "a", "a|x", "b", "ä"]);
      });

      test("has cursors of name and id, and starts from the top with a malformed one", async () => {
        const { body: first } = await create({ name: "a|b" });
        await create({ name: "c" });
        const { body } = await brain.as.viewer.get(`${path}?limit=1`);
        const text = Buffer.from(body.next_cursor, "base64url").toString();
        expect(text).toBe(`a|b|${first.id.replaceAll("-", "")}`);
        const again = await brain.as.viewer.get(`${path}?limit=1&cursor=${Buffer.from("a").toString("base64url")}`);
        expect(again.body.items[0].name).toBe("a|b");
      });

      test("counts failures in a row and the skipped slots of a day", async () => {
        const { body: made } = await create();
        const { body: other } = await create({ name: "other" });
        const project_id = brain.project.id;
        const now = clock.now().getTime();
        const statuses = ["acked_success", "failed", "acked_failed", "failed"];
        const fires = statuses.map((status, index) => ({
          ...{ id: randomUUID(), project_id, schedule_id: made.id as string, fire_id: randomUUID(), command_id: null },
          ...{
            status,
            scheduled_for: clock.now(),
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
        await brain.running.brain.database.write(async (tx) => {
          await tx.insertInto("schedule_fires").values(fires).execute();
          await tx.insertInto("schedule_skips").values(skips).execute();
        });
        const { items } = (await brain.as.viewer.get(path)).body;
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
        const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();
        expect((await get(made.id, "?preview=2")).body.next_runs).toEqual([at(60), at(120)]);
      });

      test("shows an expression of an engine that is not understood", async () => {
        const next_run_at = new Date("2026-04-01T00:00:00Z");
        const id = await addNative({ kind: "rrule", expression: "FREQ=DAILY", next_run_at });
        expect((await get(id, "?preview=5")).body).toMatchObject({
          description: null,
          next_run_at: next_run_at.toISOString(),
          next_runs: [next_run_at.toISOString()],
        });
      });

      test("answers 404 for unknown schedules and those of other projects", async () => {
        const other = await brain.addProject(`p-${randomUUID().slice(0, 8)}`, "Other");
        const { body: made } = await create();
        expect((await brain.as.viewer.get(`/projects/${other.slug}/schedules/${made.id}`)).status).toBe(404);
        expect((await get(randomUUID())).body).toMatchObject({ error: "not_found", details: { resource: "schedule" } });
      });
    });

    describe("PATCH", () => {
      test("changes the definition, with a new token, a new revision and the next slot from now on", async () => {
        const { body: made } = await create({ kind: "interval", expression: "3600", queue: "a", source_hash: "h" });
        clock.advance(60_000);
        const { status, body } = await patch(made.id, { expression: "60", queue: null, source_hash: null, args: [1] });
        expect(status).toBe(200);
        expect(body).toEqual({
          ...made,
          expression: "60",
          description: "Every minute",
          queue: null,
          source_hash: null,
          args: [1],
          next_run_at: new Date(clock.now().getTime() + 60_000).toISOString(),
          updated_at: clock.now().toISOString(),
          control_token: expect.any(String),
          schedule_revision: made.schedule_revision + 1,
        });
        expect(body.control_token).not.toBe(made.control_token);
        expect((await changes()).at(-1)).toMatchObject({ revision: body.schedule_revision, change_kind: "upsert" });
        expect(await actionsOf(made.id)).toEqual(["schedule.create", "schedule.update"]);
      });

      test("keeps a slot that is due when only names or limits change", async () => {
        const { body: made } = await create({ kind: "interval", expression: "60" });
        clock.advance(61_000);
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
        expect((await brain.as.admin.delete(`${path}/${made.id}`)).status).toBe(204);
        expect((await changes()).map(({ change_kind }) => change_kind)).toEqual(["upsert", "delete"]);
        expect((await get(made.id)).status).toBe(404);
        expect((await brain.as.admin.delete(`${path}/${made.id}`)).status).toBe(404);
        expect(await actionsOf(made.id)).toEqual(["schedule.create", "schedule.delete"]);
      });
    });

    describe("control", () => {
      test.each([
        ["disable", "enable", "is_enabled"],
        ["pause", "resume", "paused_at"],
      ])("%s stops it, %s continues it from now on, and repeats change nothing", async (stop, go, member) => {
        const { body: made } = await create({ kind: "interval", expression: "600" });
        const stopped = (await act(made.id, stop)).body;
        expect(stopped.next_run_at).toBeNull();
        expect(stopped[member]).not.toEqual(made[member]);
        expect(stopped.control_token).not.toBe(made.control_token);
        const repeated = await act(made.id, stop);
        expect([repeated.status, repeated.body]).toEqual([200, stopped]);
        clock.advance(300_000);
        const going = (await act(made.id, go)).body;
        expect(going).toMatchObject({
          [member]: made[member],
          next_run_at: new Date(clock.now().getTime() + 600_000).toISOString(),
        });
        expect((await act(made.id, go)).body).toEqual(going);
        expect(await actionsOf(made.id)).toEqual(["schedule.create", `schedule.${stop}`, `schedule.${go}`]);
        expect(await changes()).toHaveLength(3);
      });

      test("a disabled schedule that is resumed stays without a slot", async () => {
        const { body: made } = await create();
        await act(made.id, "pause");
        await act(made.id, "disable");
        expect((await act(made.id, "resume")).body).toMatchObject({ next_run_at: null, is_enabled: false });
      });

      test("refuses to enable a schedule that never fires again", async () => {
        const once = { kind: "clocked", expression: "2020-01-01T00:00:00Z", is_enabled: false };
        const { body: made } = await create(once);
        const { status, body } = await act(made.id, "enable");
        expect([status, body.details]).toEqual([409, { reason: "never_matches", field: "expression" }]);
      });
    });

    describe("a schedule of an engine's scheduler", () => {
      test.each([
        ["PATCH", (id: string) => patch(id, { queue: "x" })],
        ["DELETE", (id: string) => brain.as.admin.delete(`${path}/${id}`)],
        ["pause", (id: string) => act(id, "pause")],
        ["resume", (id: string) => act(id, "resume")],
      ])("is not changed by %s", async (_name, request) => {
        const { status, body } = await request(await addNative());
        expect([status, body.details]).toEqual([409, { reason: "native_schedule", scheduler: "bullmq" }]);
      });

      test("cannot be enabled or disabled without an agent", async () => {
        const id = await addNative();
        for (const action of ["enable", "disable"]) {
          const { status, body } = await act(id, action);
          expect([status, body.details]).toEqual([409, { reason: "no_online_agent" }]);
        }
      });
    });

    test.each(["enable", "disable", "pause", "resume"])("%s of an unknown schedule is 404", async (action) => {
      expect((await act(randomUUID(), action)).status).toBe(404);
    });
    test("PATCH of an unknown schedule is 404", async () => {
      expect((await patch(randomUUID(), { queue: null })).status).toBe(404);
    });
  });
}
