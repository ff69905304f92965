import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, fireRequest, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import type { ScheduleFireRow } from "../../../schema/tables/index.ts";

const never = new AbortController().signal;

for (const dialect of testDialects) {
  describe(`the fire of a command on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const { open, clock, newProject, newAgent, newSchedule, firesOf } = useFires(opened);
    beforeEach(() => clock.setWall(slot));

    async function accepted() {
      const project_id = await newProject();
      const agentId = await newAgent(project_id);
      const schedule = await newSchedule({ project_id });
      const { commands, calls } = open();
      const { commandId } = await calls.fire(fireRequest(schedule));
      const reach = { capabilities: { bullmq: ["submit_task"] }, retryContracts: new Set<string>() };
      const claim = () => commands.claim({ agentId, max: 10, ...reach });
      const fire = async (): Promise<ScheduleFireRow> => (await firesOf(schedule.id))[0]!;
      const report = (payload: Record<string, unknown>) => commands.reports.resulted(agentId, commandId!, payload);
      return { project_id, agentId, schedule, commands, calls, commandId: commandId!, claim, fire, report };
    }

    test("is delivered when the command is sent, and again when it is sent again", async () => {
      const { claim, fire, commands } = await accepted();
      clock.setWall(after(2));
      const {
        commands: [sent],
      } = await claim();
      expect(await fire()).toMatchObject({ status: "delivered", dispatched_at: after(2) });
      await commands.unsent(sent!);
      clock.setWall(after(5));
      await claim();
      expect(await fire()).toMatchObject({ status: "delivered", dispatched_at: after(5) });
    });

    test("is acknowledged with the latency and the new task", async () => {
      const { claim, fire, report } = await accepted();
      clock.setWall(after(2));
      await claim();
      clock.setWall(after(2.345));
      await report({ status: "success", result: { task_id: "job 7" } });
      const acked = { acked_at: after(2.345), latency_ms: 345, error_code: null, error_message: null };
      expect(await fire()).toMatchObject({ status: "acked_success", ...acked, task_id: "job 7" });
      await report({ status: "failed", error: "too late" });
      expect(await fire()).toMatchObject({ status: "acked_success", task_id: "job 7" });
    });

    test.each([[{}], [{ task_id: "" }], [{ task_id: 7 }], [{ task_id: "x".repeat(10_000) }]])(
      "is acknowledged without a task for the result %j",
      async (result) => {
        const { claim, fire, report } = await accepted();
        await claim();
        await report({ status: "success", result });
        expect(await fire()).toMatchObject({ status: "acked_success", task_id: null, latency_ms: 0 });
      },
    );

    test("is acknowledged as failed with the reason", async () => {
      const { claim, fire, report } = await accepted();
      await claim();
      await report({ status: "failed", error: "no such queue" });
      const error = { error_code: "command_failed", error_message: "no such queue" };
      expect(await fire()).toMatchObject({ status: "acked_failed", acked_at: slot, ...error });
    });

    test.each([
      ["pending", false, "the agent did not take it in time"],
      ["sent", true, "no result from the agent in time"],
    ])("times out with a %s command", async (_state, isSent, error_message) => {
      const { claim, fire, commands, report } = await accepted();
      if (isSent) await claim();
      clock.setWall(after(61));
      await commands.expire(never);
      const timedOut = { status: "terminal_timeout", error_code: "command_timeout", error_message, acked_at: null };
      expect(await fire()).toMatchObject(timedOut);
      await report({ status: "success", result: { task_id: "late" } });
      expect(await fire()).toMatchObject(timedOut);
    });

    test("is cancelled with the unsent command of a revoked agent", async () => {
      const { agentId, fire, commands } = await accepted();
      const of = { agent_id: agentId };
      await opened.database.write((tx) => commands.cancel(tx, { of, error: "the agent was revoked", now: slot }));
      const error = { error_code: "command_cancelled", error_message: "the agent was revoked" };
      expect(await fire()).toMatchObject({ status: "terminal_cancelled", ...error });
    });

    test("fails when the command can't be signed", async () => {
      const { claim, fire, commands } = await accepted();
      const {
        commands: [sent],
      } = await claim();
      await commands.unsigned(sent!, "the command is too large");
      const error = { error_code: "signing_failed", error_message: "the command is too large" };
      expect(await fire()).toMatchObject({ status: "failed", ...error });
    });

    test("is claimed with the others that wait, and each is delivered", async () => {
      const { project_id, claim, calls } = await accepted();
      const schedules = await Promise.all([1, 2, 3].map(() => newSchedule({ project_id })));
      await Promise.all(schedules.map((schedule) => calls.fire(fireRequest(schedule))));
      expect((await claim()).commands).toHaveLength(4);
      for (const { id } of schedules) expect(await firesOf(id)).toMatchObject([{ status: "delivered" }]);
    });

    test("is unchanged when its move fails, and so is the command", async () => {
      const { claim, fire, commands, commandId } = await accepted();
      commands.onMoved("schedule.fire", async () => {
        throw new Error("the process was killed here");
      });
      await expect(claim()).rejects.toThrow("killed");
      expect(await fire()).toMatchObject({ status: "accepted", dispatched_at: null });
      const command = opened.database.read.selectFrom("commands").select("status").where("id", "=", commandId);
      expect(await command.executeTakeFirst()).toEqual({ status: "pending" });
    });
  });

  describe(`a fire that a scheduler observes on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const { open, clock, newProject, newSchedule, newFire, firesOf, pendingOf } = useFires(opened);
    beforeEach(() => clock.setWall(slot));

    test.each([
      ["SUCCESS", { status: "acked_success", acked_at: after(3), latency_ms: 2000, task_id: "t", error_code: null }],
      ["FAILED", { status: "acked_failed", acked_at: after(3), error_code: "task_failed", error_message: "boom" }],
      ["TIMEOUT", { status: "terminal_timeout", acked_at: null, error_code: "timeout", error_message: "boom" }],
    ] as const)("ends with %s", async (status, expected) => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const { fire_id: fireId } = await newFire(schedule, { status: "delivered", dispatched_at: after(1) });
      clock.setWall(after(3));
      const { calls } = open();
      const observed = { fireId, status, error: "boom", taskId: "t" };
      expect(await calls.acknowledge(observed)).toBe(true);
      expect(await firesOf(schedule.id)).toMatchObject([expected]);
      expect(await calls.acknowledge(observed)).toBe(false);
    });

    test("leaves the buffer", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const request = fireRequest(schedule);
      const { calls } = open();
      await calls.fire(request);
      expect(await pendingOf(schedule.id)).toHaveLength(1);
      const observed = { fireId: request.fireId, status: "SUCCESS", error: null, taskId: null } as const;
      expect(await calls.acknowledge(observed)).toBe(true);
      expect(await pendingOf(schedule.id)).toEqual([]);
    });

    test("is not changed when it has ended, or is unknown", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const { fire_id: fireId } = await newFire(schedule, { status: "buffer_expired" });
      const { calls } = open();
      const observed = { status: "SUCCESS", error: null, taskId: null } as const;
      expect(await calls.acknowledge({ ...observed, fireId })).toBe(false);
      expect(await calls.acknowledge({ ...observed, fireId: schedule.id })).toBe(false);
      expect(await firesOf(schedule.id)).toMatchObject([{ status: "buffer_expired" }]);
    });
  });
}
