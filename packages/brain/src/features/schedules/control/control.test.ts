import { randomUUID } from "node:crypto";
import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { useSchedules } from "../../../../test/fixtures/schedules/schedules-fixture.ts";

for (const dialect of routeDialects) {
  describe(`control on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { create, act, changes, actionsOf } = schedules;

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
        schedules.clock.advance(300_000);
        const going = (await act(made.id, go)).body;
        expect(going).toMatchObject({
          [member]: made[member],
          next_run_at: new Date(schedules.clock.now().getTime() + 600_000).toISOString(),
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

    test.each(["enable", "disable", "pause", "resume"])("%s of an unknown schedule is 404", async (action) => {
      expect((await act(randomUUID(), action)).status).toBe(404);
    });
  });
}
