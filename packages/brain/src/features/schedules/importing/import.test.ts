import { waitFor } from "@svc/testkit";
import { testDialects } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { nightly, schedulesPath as path, useSchedules } from "../../../../test/fixtures/schedules/schedules-fixture.ts";
import { scheduleRow } from "../../../../test/rows/schedule-rows.ts";

for (const dialect of testDialects) {
  describe(`an import on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { create, get, add, act, changes } = schedules;
    const send = (entries: unknown[], given: object = {}) =>
      schedules.brain.as.admin.post(`${path}:import`, { mode: "upsert", schedules: entries, ...given });
    const diff = (entries: unknown[], given: object = {}) =>
      schedules.brain.as.admin.post(`${path}:diff`, { mode: "upsert", schedules: entries, ...given });
    const list = async () => (await schedules.brain.as.viewer.get(path)).body.items;
    const counts = { inserted: 0, updated: 0, unchanged: 0, failed: 0, deleted: 0 };
    const entry = (name: string, given: object = {}) => ({ ...nightly, name, ...given });

    test("creates schedules with its own defaults, each with a revision", async () => {
      const { status, body } = await send([entry("a"), entry("b", { catch_up: "skip", source: "terraform" })]);
      expect([status, body]).toEqual([200, { ...counts, inserted: 2, errors: {} }]);
      const items = await list();
      expect(items).toMatchObject([
        { name: "a", catch_up: "skip", source: "imported", next_run_at: "2026-03-28T01:30:00.000Z", is_enabled: true },
        { name: "b", source: "terraform" },
      ]);
      const revisions = (await changes()).map(({ revision, schedule_id }) => [schedule_id, revision]);
      expect(revisions).toEqual(items.map((item: Record<string, unknown>) => [item.id, item.schedule_revision]));
    });

    test("refuses entries one by one, by their place in the list", async () => {
      const entries = [
        entry("good"),
        entry("bad", { expression: "61 * * * *" }),
        entry("good"),
        { name: "incomplete" },
        "no object",
        entry("native", { scheduler: "bullmq" }),
        entry("reserved", { kwargs: { __svc_x: 1 } }),
        entry("unknown", { when: 1 }),
      ];
      const { body } = await send(entries);
      expect(body).toMatchObject({ ...counts, inserted: 1, failed: 7 });
      expect(Object.keys(body.errors)).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
      expect(body.errors["1"]).toMatch(/^expression: /);
      expect(body.errors["2"]).toBe("name: occurs twice in the list");
      expect(body.errors["3"]).toBe("engine: is required");
      expect(body.errors["6"]).toContain("__svc_");
      expect((await list()).map(({ name }: { name: string }) => name)).toEqual(["good"]);
    });

    test("leaves unchanged what has the same hash, or else the same definition", async () => {
      await send([entry("hashed", { source_hash: "1" }), entry("plain")]);
      const before = await list();
      const again = [
        entry("hashed", { source_hash: "1", expression: "0 5 * * *" }),
        entry("plain", { source_hash: "2", is_enabled: false }),
      ];
      expect((await send(again)).body).toEqual({ ...counts, unchanged: 2, errors: {} });
      expect(await list()).toEqual(before);
      expect(await changes()).toHaveLength(2);
    });

    test("changes the definition, and keeps the state and the limits that it does not name", async () => {
      const { body: made } = await create({ late_start_seconds: 60, long_run_seconds: 60, queue: "a" });
      await act(made.id, "disable");
      const { body: stopped } = await act(made.id, "pause");
      const changed = entry("nightly", { expression: "0 5 * * *", long_run_seconds: null, source: "crontab" });
      expect((await send([changed])).body).toEqual({ ...counts, updated: 1, errors: {} });
      const { body } = await get(made.id);
      expect(body).toMatchObject({
        ...{ expression: "0 5 * * *", queue: null, catch_up: "skip", source: "crontab", is_enabled: false },
        ...{ paused_at: stopped.paused_at, next_run_at: null, late_start_seconds: 60, long_run_seconds: null },
      });
      expect(body.control_token).not.toBe(stopped.control_token);
      expect(body.schedule_revision).toBe(stopped.schedule_revision + 1);
      await send([entry("nightly", { expression: "0 6 * * *", is_enabled: true })]);
      expect((await get(made.id)).body).toMatchObject({ is_enabled: true, expression: "0 6 * * *" });
    });

    test("takes a past date and time for a schedule that stays disabled", async () => {
      const once = { kind: "clocked", expression: "2020-01-01T00:00:00Z" };
      await create({ ...once, is_enabled: false });
      const past = { ...once, expression: "2020-01-02T00:00:00Z" };
      expect((await send([entry("nightly", past), entry("new", past)])).body).toMatchObject({ updated: 1, failed: 1 });
    });

    test("replaces the schedules of one source, but for entries that are refused", async () => {
      await send([entry("kept", { source: "crontab" }), entry("removed", { source: "crontab" })]);
      await send([entry("broken", { source: "crontab" }), entry("other")]);
      await add({ name: "native", source: "crontab" });
      const replacing = { mode: "replace_for_source", source_filter: "crontab" };
      const entries = [entry("kept", { source: "crontab" }), entry("broken", { expression: "x" })];
      expect((await send(entries, replacing)).body).toMatchObject({ ...counts, unchanged: 1, failed: 1, deleted: 1 });
      const names = (await list()).map(({ name }: { name: string }) => name);
      expect(names).toEqual(["broken", "kept", "native", "other"]);
      expect((await changes()).at(-1)?.change_kind).toBe("delete");
    });

    test("leaves schedules of engines alone, also those with the same name", async () => {
      const id = await add({ name: "nightly" });
      expect((await send([entry("nightly")])).body).toMatchObject({ inserted: 1 });
      expect((await get(id)).body).toMatchObject({ scheduler: "bullmq", kind: "interval" });
    });

    test.each([
      ["missing", { mode: "replace_for_source" }],
      ["unexpected", { source_filter: "x" }],
      ["enum", { mode: "merge" }],
      ["maxItems", { schedules: Array.from({ length: 2001 }, () => 1) }],
    ])("refuses a body as a whole: %s", async (type, given) => {
      for (const request of [send, diff]) {
        const { status, body } = await request([], given);
        expect([status, body.details.errors[0].type]).toEqual([422, type]);
      }
    });

    test("takes 2000 schedules at once, and names as the only text that may repeat across schedulers", async () => {
      const entries = Array.from({ length: 2000 }, (_, index) => entry(`s-${index}`));
      expect((await send(entries)).body).toEqual({ ...counts, inserted: 2000, errors: {} });
      expect((await send(entries)).body).toEqual({ ...counts, unchanged: 2000, errors: {} });
      const moved = entries.map((one) => ({ ...one, expression: "0 4 * * *" }));
      expect((await send(moved)).body).toEqual({ ...counts, updated: 2000, errors: {} });
    });

    // The embedded database has one writer, so nothing is created between the comparison and the end of an import.
    if (dialect === "postgres") {
      describe("at the same time as requests that create its names", () => {
        const isBlocked = async () => {
          const { rows } = await sql`SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(schedules.database.read);
          return rows.length > 0;
        };

        test("begins again, and compares with what they created", async () => {
          const rowOf = (name: string) => scheduleRow({ project_id: schedules.brain.project.id, name });
          const [other, taken] = [rowOf("other"), rowOf("taken")];
          const { answer } = await schedules.database.write(
            async (tx) => {
              await tx.insertInto("schedules").values([other, taken]).execute();
              // The import sees neither of them, and waits for this transaction when it inserts its own.
              const answer = send([entry("taken"), entry("free"), entry("other")]);
              await waitFor(isBlocked, { that: "an import that waits" });
              return { answer };
            },
            { alone: true },
          );
          const { status, body } = await answer;
          expect([status, body]).toEqual([200, { ...counts, inserted: 1, updated: 2, errors: {} }]);
          const items: { name: string; id: string; expression: string }[] = await list();
          expect(items.map(({ name }) => name)).toEqual(["free", "other", "taken"]);
          expect(items.slice(1).map(({ id }) => id)).toEqual([other.id, taken.id]);
          for (const { expression } of items) expect(expression).toBe(nightly.expression);
        });

        test("gives up when it happens again and again", async () => {
          const { write } = schedules.database;
          await write(async (tx) => {
            await sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'taken' USING ERRCODE = 'unique_violation'; END $$`.execute(tx);
            await sql`CREATE TRIGGER refuse BEFORE INSERT ON schedules FOR EACH ROW EXECUTE FUNCTION refuse()`.execute(
              tx,
            );
          });
          const { status, body } = await send([entry("taken")]);
          await write((tx) => sql`DROP FUNCTION refuse CASCADE`.execute(tx));
          expect([status, body.details]).toEqual([409, { reason: "name_in_use" }]);
          expect(await list()).toEqual([]);
        });
      });
    }

    test("leaves one audit row with its counts", async () => {
      await send([entry("a"), entry("b", { expression: "x" })]);
      const row = await schedules.database.read
        .selectFrom("audit_log")
        .select(["metadata", "target_id"])
        .where("action", "=", "schedules.import")
        .orderBy("occurred_us", "desc")
        .executeTakeFirstOrThrow();
      expect(row.target_id).toBe(schedules.brain.project.id);
      expect(JSON.parse(row.metadata)).toEqual({
        ...counts,
        inserted: 1,
        failed: 1,
        mode: "upsert",
        source_filter: null,
      });
    });

    describe("a diff", () => {
      test("shows what the import would do, and changes nothing", async () => {
        await send([
          entry("same", { source: "s" }),
          entry("changed", { source: "s" }),
          entry("extra", { source: "s" }),
        ]);
        const before = [await list(), await changes()];
        const entries = [
          entry("same", { source: "s" }),
          entry("changed", { source: "s", expression: "0 5 * * *" }),
          entry("new", { source: "s" }),
          entry("bad", { timezone: "x" }),
        ];
        const replacing = { mode: "replace_for_source", source_filter: "s" };
        const { status, body } = await diff(entries, replacing);
        expect(status).toBe(200);
        const own = { scheduler: "svc-scheduler" };
        expect(body).toMatchObject({
          inserted: [{ ...own, name: "new", proposed: { name: "new", next_run_at: "2026-03-28T01:30:00.000Z" } }],
          updated: [
            { ...own, name: "changed", proposed: { expression: "0 5 * * *" }, current: { expression: "30 2 * * *" } },
          ],
          deleted: [{ ...own, name: "extra", current: { source: "s" } }],
          summary: { inserted: 1, updated: 1, unchanged: 1, failed: 1, deleted: 1 },
          errors: { 3: "timezone: x is not a time zone such as Europe/Berlin or UTC" },
        });
        expect(body.unchanged).toEqual([{ ...own, name: "same" }]);
        expect([await list(), await changes()]).toEqual(before);
        expect((await send(entries, replacing)).body).toEqual({ ...body.summary, errors: body.errors });
      });
    });
  });
}
