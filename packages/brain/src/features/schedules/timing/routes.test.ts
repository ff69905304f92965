import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { schedulesPath as path, useSchedules } from "../../../../test/fixtures/schedules/schedules-fixture.ts";

for (const dialect of routeDialects) {
  describe(`timing on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { create, act, add } = schedules;
    const read = (name: string, query: Record<string, string> = {}) =>
      schedules.brain.as.viewer.get(`${path}/${name}?${new URLSearchParams(query)}`);
    const preview = (query: Record<string, string>) => read("preview", { kind: "cron", ...query });

    describe("the forecast", () => {
      test("counts schedules of this service that will fire", async () => {
        const { body: a } = await create({ name: "a" });
        const { body: b } = await create({ name: "b" });
        await create({ name: "disabled", is_enabled: false });
        const { body: paused } = await create({ name: "paused" });
        await act(paused.id, "pause");
        await add({ next_run_at: new Date("2026-03-28T00:00:00Z") });
        const { status, body } = await read("forecast", { days: "2" });
        expect(status).toBe(200);
        expect(body).toMatchObject({ schedule_count: 2, timezone: "UTC", is_capped: false });
        const fired = body.hours.filter(({ fires }: { fires: number }) => fires > 0);
        expect(fired).toEqual([
          { starts_at: "2026-03-28T01:00:00.000Z", date: "2026-03-28", hour: 1, fires: 2 },
          { starts_at: "2026-03-29T01:00:00.000Z", date: "2026-03-29", hour: 1, fires: 2 },
        ]);
        expect(body.collisions[0]).toEqual({
          ...{
            at: "2026-03-28T01:30:00.000Z",
            schedule_count: 2,
            schedules: [a, b].map(({ id, name }) => ({ id, name })),
          },
          // On the 29th, all of this hour fires at 03:00.
          move: null,
        });
        const { body: without } = await read("forecast", { schedule_id: a.id });
        expect(without).toMatchObject({ schedule_count: 1, collisions: [] });
      });

      test("has the hours of the project's zone, for seven days by default", async () => {
        await schedules.brain.as.admin.patch("/projects/shop", { timezone: "Asia/Kolkata" });
        const { body } = await read("forecast");
        await schedules.brain.as.admin.patch("/projects/shop", { timezone: "UTC" });
        expect(body).toMatchObject({ timezone: "Asia/Kolkata", schedule_count: 0 });
        expect(body.hours[0].starts_at).toMatch(/:30:00.000Z$/);
        expect(new Date(body.to).getTime() - new Date(body.from).getTime()).toBe(7 * 86_400_000);
      });

      test.each(["0", "8", "x"])("refuses %s days", async (days) => {
        expect((await read("forecast", { days })).status).toBe(422);
      });
    });

    describe("a preview", () => {
      test("has words, the next slots and warnings of changes of clocks", async () => {
        const { status, body } = await preview({ expression: "30 2 * * *", timezone: "Europe/Berlin", count: "3" });
        expect(status).toBe(200);
        expect(body).toEqual({
          description: "Every day at 02:30 (Europe/Berlin)",
          next_runs: ["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"],
          warnings: [
            { kind: "skipped", at: "2026-03-29T01:00:00.000Z", local_time: "2026-03-29T02:30:00" },
            { kind: "repeated", at: "2026-10-25T01:00:00.000Z", local_time: "2026-10-25T02:30:00" },
          ],
          same_minute: [],
          move: null,
          is_capped: false,
        });
        expect((await preview({ expression: "* * * * *" })).body.next_runs).toHaveLength(5);
        expect((await preview({ expression: "* * * * *", count: "0" })).body.next_runs).toEqual([]);
      });

      test("names other schedules in the same minutes", async () => {
        const { body: own } = await create({ name: "own" });
        await create({ name: "cron" });
        await create({ name: "other time", expression: "31 2 * * *" });
        await create({ name: "interval", kind: "interval", expression: "60" });
        await create({ name: "daily", kind: "interval", expression: "86400" });
        const query = { expression: "30 2 * * *", timezone: "Europe/Berlin", count: "2" };
        const { body } = await preview({ ...query, schedule_id: own.id });
        const found = body.same_minute.map(
          ({
            at,
            schedule_count,
            schedules: some,
          }: {
            at: string;
            schedule_count: number;
            schedules: { name: string }[];
          }) => [at, schedule_count, some.map(({ name }) => name)],
        );
        expect(found).toEqual([
          ["2026-03-28T01:30:00.000Z", 2, ["cron", "interval"]],
          // On that day, all times from 02:00 to 02:59 fire at 03:00.
          ["2026-03-29T01:00:00.000Z", 3, ["cron", "interval", "other time"]],
        ]);
        // The interval fires in every minute.
        expect(body.move).toBe(null);
        expect((await preview(query)).body.same_minute[0]).toMatchObject({ schedule_count: 3 });
      });

      test("proposes a minute in which no other schedule fires", async () => {
        const { body: own } = await create({ name: "own", expression: "0 5 * * *" });
        await create({ name: "hourly", expression: "0-2 * * * *" });
        await create({ name: "on Sundays", expression: "3 5 * * 0" });
        await create({ name: "interval", kind: "interval", expression: "86400" });
        const query = { expression: "0 5 * * *", timezone: "Europe/Berlin", count: "10" };
        const { body } = await preview({ ...query, schedule_id: own.id });
        expect(body.move).toEqual({ expression: "4 5 * * *", at: "2026-03-28T04:04:00.000Z" });
        expect((await preview({ ...query, expression: "4 5 * * *" })).body).toMatchObject({
          same_minute: [],
          move: null,
        });
        expect((await preview({ ...query, expression: "0,30 5 * * *" })).body.move).toBe(null);
      });

      test.each([
        ["expression", "invalid_cron", { expression: "* * *" }],
        ["expression", "never_matches", { expression: "0 0 30 2 *" }],
        ["expression", "never_matches", { kind: "clocked", expression: "2020-01-01T00:00:00Z" }],
        ["expression", "invalid_interval", { kind: "interval", expression: "x" }],
        ["timezone", "unknown_timezone", { expression: "0 0 * * *", timezone: "localtime" }],
        ["kind", "invalid_kind", { kind: "x", expression: "60" }],
      ])("refuses a wrong %s with the reason %s: %j", async (field, reason, query) => {
        const { status, body } = await preview(query as Record<string, string>);
        expect([status, body.details.reason, body.details.field]).toEqual([422, reason, field]);
        expect(body.details.errors[0]).toMatchObject({ loc: ["query", field], type: reason });
      });

      test.each([{}, { expression: "* * * * *", count: "51" }, { expression: "* * * * *", schedule_id: "x" }])(
        "refuses the query %j",
        async (query) => {
          expect((await preview(query as Record<string, string>)).status).toBe(422);
        },
      );
    });
  });
}
