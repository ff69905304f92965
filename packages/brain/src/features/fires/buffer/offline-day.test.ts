import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, fireRequest, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { changeControl, lockSchedules } from "../../schedules/index.ts";

const day = 86_400;
const interval = 600;
/** Seconds after the last slot of the day at which the agent is back. */
const backAfter = 30;

for (const dialect of testDialects) {
  describe(`an agent that was offline for a day, on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const { open, clock, newProject, newAgent, newSchedule, firesOf, pendingOf, scheduleOf } = useFires(opened);
    beforeEach(() => clock.setWall(slot));

    /** Fires every slot of the schedules that is due by now, as a scheduler does: those of one instant together. */
    async function fireDue(process: ReturnType<typeof open>, schedules: readonly ScheduleRow[]): Promise<void> {
      const rows = await Promise.all(schedules.map(({ id }) => scheduleOf(id)));
      const due = rows.filter(({ next_run_at }) => next_run_at !== null && next_run_at <= clock.now());
      const answers = await Promise.all(
        due.map((row) => {
          const preparedNextRunAt = after(Number(row.expression), row.next_run_at ?? slot);
          return process.calls.fire(fireRequest(row, { preparedNextRunAt }));
        }),
      );
      for (const { disposition } of answers) expect(disposition).toBe("ACCEPTED");
    }

    const edit = ({ id }: ScheduleRow) =>
      opened.database.write(
        async (tx) => {
          const [row] = await lockSchedules(tx, [id]);
          await changeControl(tx, row!, { definition_digest: "edited", kwargs: '{"to": "some"}', now: clock.now() });
        },
        { alone: true },
      );

    /** Slots of the day by the result of their fires, oldest first. */
    async function outcomesOf(schedule: ScheduleRow): Promise<Record<string, Date[]>> {
      const outcomes: Record<string, Date[]> = {};
      for (const { status, error_code, scheduled_for } of await firesOf(schedule.id)) {
        const outcome = error_code === null ? status : `${status} ${error_code}`;
        outcomes[outcome] ??= [];
        outcomes[outcome].push(scheduled_for);
      }
      return outcomes;
    }

    test("gets what each catch-up policy says, in order, and an edited schedule only in its new form", async () => {
      const project_id = await newProject();
      // More fires than one transaction of the buffer delivers.
      const everyTen = { project_id, expression: String(interval) };
      const [all, one, none, edited] = await Promise.all([
        newSchedule({ ...everyTen, catch_up: "fire_all_missed" }),
        newSchedule({ ...everyTen, catch_up: "fire_one_missed" }),
        newSchedule({ ...everyTen, catch_up: "skip" }),
        newSchedule({ ...everyTen, catch_up: "fire_all_missed" }),
      ]);
      // Several slots of the last minute.
      const recent = { project_id, expression: "20", catch_up: "skip", next_run_at: after(day - 60) };
      const often = await newSchedule(recent);
      const schedules = [all, one, none, edited, often];
      const process = open();
      for (let at = 0; at <= day; at += at < day - interval ? interval : 20) {
        clock.setWall(after(at));
        await fireDue(process, schedules);
        if (at === day / 2) await edit(edited); // after the slot of that time
      }
      const slots = Array.from({ length: day / interval + 1 }, (_, index) => after(index * interval));
      const [noon, last] = [after(day / 2), after(day)];
      expect(await outcomesOf(all)).toEqual({ buffered: slots });
      clock.setWall(after(day + backAfter));

      const agentId = await newAgent(project_id);
      await process.fires.buffer.tick();

      expect(await outcomesOf(all)).toEqual({ delivered: slots });
      const allButLast = { delivered: [last], "buffer_expired superseded": slots.slice(0, -1) };
      expect(await outcomesOf(one)).toEqual(allButLast);
      expect(await outcomesOf(none)).toEqual(allButLast);
      expect(await outcomesOf(often)).toEqual({
        "buffer_expired superseded": [after(day - 60), after(day - 40)],
        delivered: [after(day - 20), last],
      });
      expect(await outcomesOf(edited)).toEqual({
        "buffer_stale definition_changed": slots.filter((at) => at <= noon),
        delivered: slots.filter((at) => at > noon),
      });
      for (const { id } of schedules) expect(await pendingOf(id)).toEqual([]);

      const received = new Map<string, string[]>();
      const reach = { capabilities: { bullmq: ["submit_task"] }, retryContracts: new Set<string>() };
      for (let claimed = 1; claimed > 0; ) {
        const { commands } = await process.commands.claim({ agentId, max: 100, ...reach });
        claimed = commands.length;
        for (const { payload } of commands) {
          const { schedule_id, scheduled_for } = payload.parameters as Record<"schedule_id" | "scheduled_for", string>;
          received.set(schedule_id, [...(received.get(schedule_id) ?? []), scheduled_for]);
        }
      }
      const sent = await Promise.all(
        schedules.map(async (schedule) => (await outcomesOf(schedule)).delivered?.map((at) => at.toISOString())),
      );
      expect(schedules.map(({ id }) => received.get(id))).toEqual(sent);

      // The next slot finds the agent.
      clock.setWall(after(day + interval));
      await fireDue(process, [all, one, none]);
      for (const schedule of [all, one, none]) {
        expect((await outcomesOf(schedule)).accepted).toEqual([after(day + interval)]);
      }
    });
  });
}
