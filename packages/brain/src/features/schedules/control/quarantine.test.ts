import { randomUUID } from "node:crypto";
import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { schedulesPath as path, useSchedules } from "../../../../test/fixtures/schedules/schedules-fixture.ts";
import type { QuarantineReport } from "./quarantine.ts";

for (const dialect of routeDialects) {
  describe(`quarantine on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const { create, patch, get, add, act, changes, actionsOf } = schedules;
    const report = (given: Partial<QuarantineReport> & Pick<QuarantineReport, "scheduleId" | "controlToken">) =>
      schedules.brain.running.brain.features.schedules.quarantine({
        ...{ reasonCode: "bad_payload", detail: "the arguments are not JSON", projectIds: null },
        ...given,
      });
    const clear = (id: string, observed_control_token: unknown) =>
      schedules.brain.as.admin.post(`${path}/${id}/clear-quarantine`, { observed_control_token });
    async function quarantined() {
      const { body } = await create();
      await report({ scheduleId: body.id, controlToken: body.control_token });
      return (await get(body.id)).body;
    }

    test("stops the schedule, with code and detail cut to their limits", async () => {
      const { body: made } = await create();
      const given = { reasonCode: "c".repeat(65), detail: "d".repeat(1025) };
      const result = await report({ scheduleId: made.id, controlToken: made.control_token, ...given });
      const { body } = await get(made.id);
      expect(result).toEqual({ outcome: "APPLIED", revision: body.schedule_revision });
      expect(body).toMatchObject({
        next_run_at: null,
        quarantine_code: "c".repeat(64),
        quarantine_detail: "d".repeat(1024),
        quarantined_at: schedules.clock.now().toISOString(),
      });
      expect(body.control_token).not.toBe(made.control_token);
      expect(await actionsOf(made.id)).toEqual(["schedule.create", "schedule.quarantined"]);
      expect(await changes()).toHaveLength(2);
    });

    test("is applied once: a repeated report changes nothing", async () => {
      const { body: made } = await create();
      const first = await report({ scheduleId: made.id, controlToken: made.control_token });
      const again = await report({ scheduleId: made.id, controlToken: made.control_token });
      expect(again).toEqual({ outcome: "ALREADY_APPLIED", revision: first.revision });
      expect(await changes()).toHaveLength(2);
    });

    test("does not stop a schedule that has changed since", async () => {
      const { body: made } = await create();
      const { body: changed } = await patch(made.id, { queue: "x" });
      const result = await report({ scheduleId: made.id, controlToken: made.control_token });
      expect(result).toEqual({ outcome: "STALE_CONTROL", revision: changed.schedule_revision });
      expect((await get(made.id)).body.quarantined_at).toBeNull();
    });

    test("finds no unknown schedule, none of an engine, and none of a project that the scheduler may not see", async () => {
      const { body: made } = await create();
      const native = await add();
      const notFound = { outcome: "NOT_FOUND", revision: 0 };
      expect(await report({ scheduleId: randomUUID(), controlToken: "x" })).toEqual(notFound);
      expect(await report({ scheduleId: native, controlToken: "x" })).toEqual(notFound);
      const own = { scheduleId: made.id, controlToken: made.control_token };
      expect(await report({ ...own, projectIds: [randomUUID()] })).toEqual(notFound);
      expect(await report({ ...own, projectIds: [schedules.brain.project.id] })).toMatchObject({ outcome: "APPLIED" });
    });

    test("is cleared with the observed token, and the next slot is computed from now on", async () => {
      const stopped = await quarantined();
      const { status, body } = await clear(stopped.id, stopped.control_token);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        quarantine_code: null,
        quarantine_detail: null,
        quarantined_at: null,
        next_run_at: "2026-03-28T01:30:00.000Z",
      });
      expect((await clear(stopped.id, body.control_token)).body).toEqual(body);
      const actions = ["schedule.create", "schedule.quarantined", "schedule.quarantine_cleared"];
      expect(await actionsOf(stopped.id)).toEqual(actions);
      expect(await changes()).toHaveLength(3);
    });

    test("stays while a paused schedule is resumed", async () => {
      const stopped = await quarantined();
      await act(stopped.id, "pause");
      const { body } = await act(stopped.id, "resume");
      expect(body).toMatchObject({ next_run_at: null, quarantine_code: "bad_payload" });
    });

    test("is not cleared with a stale token: the answer has the live one", async () => {
      const stopped = await quarantined();
      const { status, body } = await clear(stopped.id, "other");
      expect([status, body.details]).toEqual([
        409,
        { reason: "stale_control_token", live_control_token: stopped.control_token },
      ]);
    });

    test("clearing refuses schedules of engines, unknown ones, and bodies without a token", async () => {
      expect((await clear(await add(), "x")).body.details.reason).toBe("native_schedule");
      expect((await clear(randomUUID(), "x")).status).toBe(404);
      for (const token of [undefined, null, "", 1]) expect((await clear(randomUUID(), token)).status).toBe(422);
    });
  });
}
