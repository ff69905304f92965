import { parseJson } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, fireRequest, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import { insertTasks } from "../../../../test/rows/task-rows.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { type FireAnswer, InvalidFireRequest } from "../requests.ts";

for (const dialect of testDialects) {
  describe(`fires of schedulers on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fires = useFires(opened);
    const { newProject, newAgent, newSchedule, scheduleOf, firesOf, pendingOf, clock } = fires;
    const commandsOf = (projectId: string) =>
      opened.database.read.selectFrom("commands").selectAll().where("project_id", "=", projectId).execute();
    const skipsOf = (scheduleId: string) =>
      opened.database.read.selectFrom("schedule_skips").select("count").where("schedule_id", "=", scheduleId).execute();
    beforeEach(() => {
      clock.setWall(slot);
      fires.entries.length = 0;
    });

    test("store the fire, its command and the cursor", async () => {
      const project_id = await newProject();
      const agentId = await newAgent(project_id);
      const schedule = await newSchedule({ project_id });
      const request = fireRequest(schedule);

      const answer = await fires.open().calls.fire(request);

      const [command] = await commandsOf(project_id);
      expect(answer).toEqual({
        disposition: "ACCEPTED",
        commandId: command?.id,
        isBuffered: false,
        lastRunAt: slot,
        nextRunAt: after(60),
        totalRuns: 1,
        live: null,
        errorCode: null,
        errorMessage: null,
      });
      expect(await firesOf(schedule.id)).toMatchObject([
        { fire_id: request.fireId, command_id: command?.id, status: "accepted", scheduled_for: slot, fired_at: slot },
      ]);
      expect(command).toMatchObject({
        agent_id: agentId,
        action: "schedule.fire",
        target_type: "schedule",
        target_id: schedule.id,
        engine: "bullmq",
        idempotency_key: `schedule:${schedule.id}:fire:${request.fireId}`,
        status: "pending",
      });
      expect(parseJson(command!.payload)).toEqual({
        task_name: "mail.digest",
        engine: "bullmq",
        queue: "mail",
        args: [1],
        kwargs: { to: "all" },
        priority: "normal",
        schedule_id: schedule.id,
        schedule_name: schedule.name,
        fire_id: request.fireId,
        scheduled_for: slot.toISOString(),
      });
      const { control_token, schedule_revision } = schedule;
      expect(await scheduleOf(schedule.id)).toMatchObject({
        ...{ last_run_at: slot, next_run_at: after(60), total_runs: 1 },
        ...{ control_token, schedule_revision },
      });
      expect(fires.entries).toMatchObject([
        { action: "command.issue.schedule.fire", target_id: command?.id, metadata: { fire_id: request.fireId } },
      ]);
    });

    test("are stored once, also when the same one arrives twice at a time, and in two processes", async () => {
      const project_id = await newProject();
      await newAgent(project_id);
      const schedule = await newSchedule({ project_id });
      const request = fireRequest(schedule);
      const other = await opened.openAgain();
      const [one, two] = [fires.open(), fires.open(other)];

      const answers = await Promise.all([one, one, two].map(({ calls }) => calls.fire(request)));
      answers.push(await two.calls.fire(request));

      expect(new Set(answers.map(({ disposition, commandId }) => `${disposition} ${commandId}`)).size).toBe(1);
      expect(answers[0]).toMatchObject({ disposition: "ACCEPTED", totalRuns: 1, nextRunAt: after(60) });
      expect(await firesOf(schedule.id)).toHaveLength(1);
      expect(await commandsOf(project_id)).toHaveLength(1);
      await other.close();
    });

    test("of one schedule in one group are decided one after the other", async () => {
      const project_id = await newProject();
      await newAgent(project_id);
      const schedule = await newSchedule({ project_id });
      const { calls } = fires.open();
      const [first, second, early] = await Promise.all([
        calls.fire(fireRequest(schedule)),
        calls.fire(fireRequest(schedule, { scheduledFor: after(60) })),
        calls.fire(fireRequest(schedule, { scheduledFor: after(240) })),
      ]);
      expect(first).toMatchObject({ disposition: "ACCEPTED" });
      expect(second).toMatchObject({ disposition: "ACCEPTED", totalRuns: 2 });
      expect(early).toMatchObject({ disposition: "SLOT_RESOLVED", live: { next_run_at: after(120), total_runs: 2 } });
      expect(await scheduleOf(schedule.id)).toMatchObject({ total_runs: 2, next_run_at: after(120) });
    });

    test("take turns among the agents that qualify", async () => {
      const project_id = await newProject();
      const agents = [await newAgent(project_id), await newAgent(project_id)];
      const schedules = await Promise.all([1, 2, 3, 4].map(() => newSchedule({ project_id })));
      const { calls } = fires.open();
      await Promise.all(schedules.map((schedule) => calls.fire(fireRequest(schedule))));
      const taken = (await commandsOf(project_id)).map(({ agent_id }) => agent_id);
      expect(taken.sort()).toEqual([...agents, ...agents].sort());
    });

    test.each<[string, Record<string, string[]> | null]>([
      ["no agent is online", null],
      ["none serves the engine", { celery: ["submit_task"] }],
      ["none can submit tasks", { bullmq: ["retry_task"] }],
    ])("are buffered while %s", async (_what, capabilities) => {
      const project_id = await newProject();
      if (capabilities !== null) await newAgent(project_id, capabilities);
      const schedule = await newSchedule({ project_id });
      const request = fireRequest(schedule);
      const { calls } = fires.open();

      const answer = await calls.fire(request);

      expect(answer).toMatchObject({ disposition: "ACCEPTED", commandId: null, isBuffered: true, totalRuns: 1 });
      expect(await calls.fire(request)).toEqual(answer);
      expect(await firesOf(schedule.id)).toMatchObject([{ status: "buffered", command_id: null }]);
      const [pending] = await pendingOf(schedule.id);
      expect(pending).toMatchObject({
        fire_id: request.fireId,
        engine: "bullmq",
        definition_digest: schedule.definition_digest,
        schedule_revision: 1,
        scheduled_for: slot,
        enqueued_at: slot,
        expires_at: after(7 * 86_400),
      });
      expect(parseJson(pending!.payload)).toMatchObject({ fire_id: request.fireId, args: [1] });
      expect(await commandsOf(project_id)).toEqual([]);
    });

    test("of a clocked schedule disable it, as a change that schedulers see", async () => {
      const project_id = await newProject();
      await newAgent(project_id);
      const schedule = await newSchedule({ project_id, kind: "clocked", expression: slot.toISOString() });
      const request = fireRequest(schedule, { preparedNextRunAt: null });
      const { calls } = fires.open();
      expect(await calls.fire(request)).toMatchObject({ disposition: "ACCEPTED", nextRunAt: null, totalRuns: 1 });
      const row = await scheduleOf(schedule.id);
      expect(row).toMatchObject({ is_enabled: false, last_run_at: slot, next_run_at: null, total_runs: 1 });
      expect(row.control_token).not.toBe(schedule.control_token);
      const changes = opened.database.read.selectFrom("schedule_changes").selectAll();
      expect(await changes.where("schedule_id", "=", schedule.id).execute()).toMatchObject([
        { revision: row.schedule_revision, change_kind: "upsert" },
      ]);
      expect(await calls.fire(request)).toMatchObject({ disposition: "ACCEPTED" });
    });

    test("of several clocked schedules in one group disable each, with a revision and a token of its own", async () => {
      const project_id = await newProject();
      const clocked = { project_id, kind: "clocked", expression: slot.toISOString() };
      const schedules = await Promise.all([1, 2, 3].map(() => newSchedule(clocked)));
      const regular = await newSchedule({ project_id });
      const [published, moved]: unknown[][] = [[], []];
      const { calls } = fires.open(
        opened.database,
        (change) => published?.push(change),
        (change) => moved?.push(change),
      );
      const requests = schedules.map((schedule) => fireRequest(schedule, { preparedNextRunAt: null }));
      const answers = await Promise.all([...requests, fireRequest(regular)].map((request) => calls.fire(request)));
      expect(answers.map(({ disposition }) => disposition)).toEqual(answers.map(() => "ACCEPTED"));
      const rows = await Promise.all(schedules.map(({ id }) => scheduleOf(id)));
      for (const row of rows) expect(row).toMatchObject({ is_enabled: false, total_runs: 1, updated_at: slot });
      expect(new Set(rows.map(({ control_token }) => control_token)).size).toBe(3);
      const changes = opened.database.read.selectFrom("schedule_changes").select(["schedule_id", "revision"]);
      const stored = await changes.where("project_id", "=", project_id).orderBy("revision").execute();
      const revisions = rows.map(({ id, schedule_revision }) => ({ schedule_id: id, revision: schedule_revision }));
      expect(stored).toEqual(revisions.sort((a, b) => a.revision - b.revision));
      expect(await scheduleOf(regular.id)).toMatchObject({ is_enabled: true, next_run_at: after(60) });
      // The first request has a group of its own.
      const idsOf = (changes: unknown[] = []) => changes.flatMap((change) => (change as { ids: string[] }).ids).sort();
      expect(idsOf(published)).toEqual(schedules.map(({ id }) => id).sort());
      expect(idsOf(moved)).toEqual([...schedules, regular].map(({ id }) => id).sort());
    });

    test("are skipped while an earlier one is open, and the cursor moves", async () => {
      const project_id = await newProject();
      await newAgent(project_id);
      const schedule = await newSchedule({ project_id, overlap_policy: "skip" });
      const { calls } = fires.open();
      const answers: FireAnswer[] = await Promise.all([
        calls.fire(fireRequest(schedule)),
        calls.fire(fireRequest(schedule, { scheduledFor: after(60) })),
      ]);
      answers.push(await calls.fire(fireRequest(schedule, { scheduledFor: after(120) })));
      expect(answers.map(({ disposition }) => disposition)).toEqual(["ACCEPTED", "SKIPPED_OVERLAP", "SKIPPED_OVERLAP"]);
      expect(answers[2]).toMatchObject({ commandId: null, nextRunAt: after(180), totalRuns: 1 });
      expect(await firesOf(schedule.id)).toHaveLength(1);
      expect(await skipsOf(schedule.id)).toEqual([{ count: 1 }, { count: 1 }]);
      expect(await scheduleOf(schedule.id)).toMatchObject({
        last_run_at: slot,
        next_run_at: after(180),
        total_runs: 1,
      });
    });

    test.each<[string, string, number, string]>([
      ["runs", "started", 0, "SKIPPED_OVERLAP"],
      ["waits for a retry", "retry", 86_399, "SKIPPED_OVERLAP"],
      ["has ended", "success", 0, "ACCEPTED"],
      ["has not been reported for 24 hours", "started", 86_400, "ACCEPTED"],
    ])(
      "follow an earlier one whose task %s with the overlap policy skip: %s, %s s ago, %s",
      async (_what, state, age, disposition) => {
        const project_id = await newProject();
        await newAgent(project_id);
        const schedule = await newSchedule({ project_id, overlap_policy: "skip" });
        await fires.newFire(schedule, { status: "acked_success", task_id: "t" });
        await insertTasks(opened.database, [{ project_id, task_id: "t", state, updated_at: after(-age) }]);
        expect(await fires.open().calls.fire(fireRequest(schedule))).toMatchObject({ disposition });
      },
    );

    test("are refused with the current row, and change nothing", async () => {
      const project_id = await newProject();
      const schedule = await newSchedule({ project_id });
      const { calls } = fires.open();
      const refusals = [
        await calls.fire(fireRequest(schedule, { controlToken: "other" })),
        await calls.fire(fireRequest(schedule, { cadenceFingerprint: "other" })),
        await calls.fire(fireRequest(schedule, { scheduledFor: after(60) })),
        await calls.fire(fireRequest({ ...schedule, id: "00000000-0000-4000-8000-000000000000" })),
      ];
      expect(refusals.map(({ disposition, live }) => [disposition, live?.id])).toEqual([
        ["STALE_CONTROL", schedule.id],
        ["CADENCE_MISMATCH", schedule.id],
        ["SLOT_RESOLVED", schedule.id],
        ["STALE_CONTROL", undefined],
      ]);
      expect(await scheduleOf(schedule.id)).toEqual(schedule);
      expect(await firesOf(schedule.id)).toEqual([]);
    });

    test("of an archived project are stale", async () => {
      const project_id = await newProject();
      const schedule = await newSchedule({ project_id });
      await opened.database.write((tx) =>
        tx.updateTable("projects").set({ is_active: false }).where("id", "=", project_id).execute(),
      );
      expect(await fires.open().calls.fire(fireRequest(schedule))).toMatchObject({
        disposition: "STALE_CONTROL",
        live: null,
      });
    });

    test("that contradict a stored fire are invalid, and the others of the group are stored", async () => {
      const project_id = await newProject();
      const [one, two] = [await newSchedule({ project_id }), await newSchedule({ project_id })];
      const { calls } = fires.open();
      const { fireId } = fireRequest(one);
      const [first, second] = await Promise.allSettled([
        calls.fire(fireRequest(one)),
        calls.fire(fireRequest(two, { fireId })),
      ]);
      expect(first.status).toBe("fulfilled");
      expect(second).toMatchObject({ status: "rejected", reason: expect.any(InvalidFireRequest) });
      await expect(calls.fire(fireRequest(one, { fireId, scheduledFor: after(60) }))).rejects.toThrow(
        InvalidFireRequest,
      );
    });

    test("are not affected by one whose definition can't be read", async () => {
      const project_id = await newProject();
      const [fine, wrong] = [await newSchedule({ project_id }), await newSchedule({ project_id, expression: "often" })];
      const { calls } = fires.open();
      const [first, second] = await Promise.allSettled([calls.fire(fireRequest(fine)), calls.fire(fireRequest(wrong))]);
      expect(first).toMatchObject({ status: "fulfilled", value: { disposition: "ACCEPTED" } });
      expect(second.status).toBe("rejected");
      expect(await firesOf(fine.id)).toHaveLength(1);
    });

    test("are retried later when the database fails temporarily", async () => {
      const project_id = await newProject();
      const schedule = await newSchedule({ project_id });
      const failing: BrainDatabase = {
        ...opened.database,
        write: () => Promise.reject(Object.assign(new Error("the connection was lost"), { code: "ECONNRESET" })),
      };
      const answer = await fires.open(failing).calls.fire(fireRequest(schedule));
      expect(answer).toMatchObject({ disposition: "RETRY", commandId: null, live: null });
      expect(answer.errorMessage).not.toContain("connection was lost");
    });

    test("are stored for every day on which the clock runs", async () => {
      const project_id = await newProject();
      const schedule = await newSchedule({ project_id });
      const { calls } = fires.open();
      for (const [index, day] of [0, 40, 400].entries()) {
        clock.setWall(after(day * 86_400));
        await calls.fire(fireRequest(schedule, { scheduledFor: after(index * 60) }));
      }
      expect((await firesOf(schedule.id)).map(({ fired_at }) => fired_at)).toEqual([
        slot,
        after(40 * 86_400),
        after(400 * 86_400),
      ]);
    });
  });

  describe(`skipped slots on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const { open, newProject, newSchedule, scheduleOf } = useFires(opened);

    test("move the cursor and are counted", async () => {
      const schedule = await newSchedule({ project_id: await newProject(), last_run_at: after(-60), total_runs: 5 });
      const request = {
        ...fireRequest(schedule),
        skippedThrough: after(120),
        skippedCount: 3,
        preparedNextRunAt: after(180),
      };
      const { calls } = open();
      const [applied, repeated] = await Promise.all([calls.advance(request), calls.advance(request)]);
      expect(applied).toEqual({ disposition: "ADVANCE_APPLIED", nextRunAt: after(180), live: null });
      expect(repeated).toEqual({ disposition: "ADVANCE_IDEMPOTENT", nextRunAt: after(180), live: null });
      expect(await scheduleOf(schedule.id)).toEqual({ ...schedule, next_run_at: after(180) });
      const skips = opened.database.read.selectFrom("schedule_skips").select(["count", "skipped_at"]);
      expect(await skips.where("schedule_id", "=", schedule.id).execute()).toEqual([{ count: 3, skipped_at: slot }]);
      await expect(calls.advance({ ...request, skippedCount: 10_001 })).rejects.toThrow(InvalidFireRequest);
    });
  });
}
