import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertFires } from "../../src/features/fires/firing/fire-store.ts";
import { firePartitions } from "../../src/features/fires/firing/partitions.ts";
import { judgePlainText } from "../../src/features/scheduler-grpc/access/caller.ts";
import type { ScheduleRow } from "../../src/schema/tables/index.ts";
import { fireRequest } from "../fixtures/schedules/fires.ts";
import { fireRow } from "../rows/fire-rows.ts";
import { addSchedule, plainClient } from "../schedulers/scheduler-fixture.ts";

for (const dialect of routeDialects) {
  describe(`the streams of schedulers on ${dialect}`, () => {
    let brain: TestBrain;
    let client: ReturnType<typeof plainClient>;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const { schedulerGrpc } = brain.running.brain.features;
      const { port } = await schedulerGrpc.listen({ host: "127.0.0.1", port: 0, tls: null, judge: judgePlainText });
      client = plainClient(port);
      // Without loops, nothing but a notification makes a stream send a change.
      await brain.running.brain.loops.stop();
    });
    afterAll(async () => {
      client?.close();
      await brain?.stop();
    });

    const newSchedule = (given: Partial<ScheduleRow> = {}) =>
      addSchedule(brain.running.brain, { project_id: brain.project.id, ...given });

    /** Fires that ended with this status, one a second, the newest one now. */
    async function fired({ id, project_id }: ScheduleRow, status: string, count: number) {
      const { database } = brain.running.brain;
      const now = Date.now();
      const rows = Array.from({ length: count }, (_, index) =>
        fireRow({ project_id, schedule_id: id, status, fired_at: new Date(now - index * 1000) }),
      );
      await firePartitions(database)?.ensureFor([now, now - count * 1000]);
      await database.write((tx) => insertFires(tx, rows));
      return rows;
    }

    /** The next change of a stream that was up to date when `work` began. */
    async function changeAfter(work: () => Promise<unknown>) {
      const { database } = brain.running.brain;
      const { revision } = await database.read
        .selectFrom("schedule_control")
        .select("revision")
        .executeTakeFirstOrThrow();
      const stream = client.watch({ after_revision: Number(revision) });
      await stream.next();
      await work();
      const { change } = await stream.change();
      stream.cancel();
      return change;
    }
    const disabled = ({ id: schedule_id }: ScheduleRow) => ({ schedule_id, schedule: { is_enabled: false } });

    test("send at once that the circuit breaker disabled a schedule", async () => {
      const schedule = await newSchedule();
      await fired(schedule, "failed", 5);
      const { breaker } = brain.running.brain.features.fires;
      expect(await changeAfter(() => breaker.sweep(new AbortController().signal))).toMatchObject(disabled(schedule));
    });

    test("send at once that a clocked schedule has fired", async () => {
      const next_run_at = new Date();
      const schedule = await newSchedule({ kind: "clocked", expression: next_run_at.toISOString(), next_run_at });
      const { calls } = brain.running.brain.features.fires;
      const fire = () => calls.fire(fireRequest(schedule, { preparedNextRunAt: null }));
      expect(await changeAfter(fire)).toMatchObject(disabled(schedule));
    });

    test("send at once that an operator disabled a schedule with the end of a fire", async () => {
      const schedule = await newSchedule();
      const [fire] = await fired(schedule, "terminal_timeout", 1);
      const resolve = async () => {
        const { status } = await brain.as.admin.post(
          `/projects/${brain.project.slug}/schedules/${schedule.id}/resolve-terminal-fire`,
          {
            fire_id: fire?.fire_id,
            expected_status: "terminal_timeout",
            resolution: "failed",
            observed_control_token: schedule.control_token,
            enabled_after_resolution: false,
            work_may_have_executed: true,
          },
        );
        expect(status).toBe(200);
      };
      expect(await changeAfter(resolve)).toMatchObject(disabled(schedule));
    });
  });
}
