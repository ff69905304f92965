import { randomUUID } from "node:crypto";
import { timestampOf } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, describe, expect, test } from "vitest";
import {
  addSchedule,
  certificateFor,
  fireOf,
  type GrpcOptions,
  projectWith,
  startSchedulerGrpc,
} from "../../../../test/schedulers/scheduler-fixture.ts";
import { statusCodes } from "../status-codes.ts";

for (const dialect of testDialects) {
  describe(`a certificate that is bound to projects, on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const started: { stop(): Promise<void> }[] = [];

    async function start(options: GrpcOptions) {
      const server = await startSchedulerGrpc(opened, options);
      started.push(server);
      return server;
    }

    afterEach(async () => {
      for (const server of started.splice(0)) await server.stop();
    });

    test("fires, advances and quarantines only their schedules; an unbound one those of all", async () => {
      const own = await projectWith(opened, "own");
      const other = await projectWith(opened, "other");
      const ownSchedule = await addSchedule(opened, { project_id: own.id });
      const otherSchedule = await addSchedule(opened, { project_id: other.id });
      const server = await start({ names: { bindings: { bound: ["own"], "bound.example.org": ["own"] } } });
      const bound = server.client(certificateFor("bound"));
      const denied = { code: statusCodes.PERMISSION_DENIED };
      const about = { schedule_id: otherSchedule.id };

      expect(await bound.fire(fireOf({ schedule_id: ownSchedule.id }))).toMatchObject({ disposition: "ACCEPTED" });
      await expect(bound.fire(fireOf(about))).rejects.toMatchObject(denied);
      const many = { fires: [fireOf(about), fireOf({ schedule_id: ownSchedule.id })] };
      expect(await bound.fireMany(many)).toMatchObject({
        results: [{ refusal: denied }, { answer: { disposition: "ACCEPTED" } }],
      });
      const skipped = { skipped_through: timestampOf(new Date()), skipped_count: 1 };
      await expect(bound.advance({ ...fireOf(about), ...skipped })).rejects.toMatchObject(denied);
      await expect(bound.quarantine({ ...about, reason_code: "bad" })).rejects.toMatchObject(denied);
      const boundByDnsName = server.client(certificateFor("unlisted", undefined, ["bound.example.org"]));
      await expect(boundByDnsName.fire(fireOf(about))).rejects.toMatchObject(denied);
      expect(await server.client().fire(fireOf(about))).toMatchObject({ disposition: "ACCEPTED" });

      expect(server.fired.map(({ scheduleId }) => scheduleId)).toEqual([
        ownSchedule.id,
        ownSchedule.id,
        otherSchedule.id,
      ]);
      expect(server.refused.map(({ action }) => action)).toEqual(Array(5).fill("schedules.access.denied"));
      expect(server.refused[0]).toMatchObject({
        target_id: otherSchedule.id,
        project_id: other.id,
        metadata: { certificate: "bound" },
      });
    });

    test("is answered for invalid fires also while the database can't be read", async () => {
      const unreadable = Object.create(opened.database, {
        read: {
          get() {
            throw new Error("the database can't be read");
          },
        },
      });
      const server = await startSchedulerGrpc({ database: unreadable }, { names: { bindings: { bound: ["own"] } } });
      started.push(server);
      const { results } = await server
        .client(certificateFor("bound"))
        .fireMany({ fires: [fireOf({ scheduled_for: null })] });
      expect(results).toMatchObject([{ refusal: { code: statusCodes.INVALID_ARGUMENT } }]);
    });

    test("acknowledges only their fires", async () => {
      const own = await projectWith(opened, "own-fires");
      const other = await projectWith(opened, "other-fires");
      const fires = new Map([own, other].map(({ id }) => [id, randomUUID()]));
      const now = new Date();
      await opened.database.write((tx) =>
        tx
          .insertInto("schedule_fire_ids")
          .values(
            [...fires].map(([project_id, fire_id]) => ({
              fire_id,
              project_id,
              schedule_id: randomUUID(),
              scheduled_for: now,
              fired_at: now,
            })),
          )
          .execute(),
      );
      const server = await start({ names: { bindings: { bound: ["own-fires"] } } });
      const bound = server.client(certificateFor("bound"));
      const acknowledge = (fire_id: unknown) => bound.acknowledge({ fire_id, status: "SUCCESS" });
      expect(await acknowledge(fires.get(own.id))).toEqual({ applied: true });
      await expect(acknowledge(fires.get(other.id))).rejects.toMatchObject({ code: statusCodes.PERMISSION_DENIED });
      await expect(acknowledge(randomUUID())).rejects.toMatchObject({ code: statusCodes.NOT_FOUND });
      expect(server.refused.map(({ action }) => action)).toEqual([
        "schedules.access.denied",
        "schedules.access.not_found",
      ]);
    });
  });
}
