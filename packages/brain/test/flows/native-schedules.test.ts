import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects, testDialects } from "@svc/testkit/databases";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const tokens = ["schedule.enable", "schedule.disable", "schedule.trigger_now", "schedule.resync"];
const origin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };

for (const dialect of testDialects) {
  describe(`schedules of engines on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    const db = () => brain.running.brain.database.read;
    const native = () => brain.running.brain.features.nativeSchedules;
    const connect = async (scheduler: string, capabilities: Record<string, string[]> = { [scheduler]: tokens }) => {
      const minted = await brain.mintAgent();
      const agent = await connectRaw(
        { url: brain.url, ...minted },
        { hello: rawHello({ engines: ["bullmq"], schedulers: [scheduler], capabilities }) },
      );
      await agent.settle();
      return { agent, agentId: minted.agentId };
    };
    let sequence = 0;
    const report = async (agent: RawAgent, scheduler: string, kind: string, data: Record<string, unknown>) => {
      sequence += 1;
      const event = {
        ...{ id: randomUUID(), kind: `schedule.${kind}`, engine: "bullmq", task_id: "" },
        occurred_at: new Date().toISOString(),
        data: { scheduler, stream: { epoch: 1, sequence }, ...data },
      };
      await agent.ackOf(agent.sendEvents([event]));
    };
    const body = (is_enabled: boolean) => ({
      schedule: { name: "nightly", task_name: "mail", kind: "cron", expression: "0 6 * * *", is_enabled },
    });
    const scheduleOf = (scheduler: string) =>
      db().selectFrom("schedules").selectAll().where("scheduler", "=", scheduler).executeTakeFirstOrThrow();
    const operation = (id: string) =>
      db().selectFrom("external_control_operations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const statusOf = async (id: string) => (await operation(id)).status;
    const entries = (targetId: string) =>
      db()
        .selectFrom("audit_log")
        .select(["action", "metadata"])
        .where("target_id", "=", targetId)
        .orderBy("occurred_us")
        .execute();
    const requester = () => ({ projectId: brain.project.id, origin });

    /** An agent whose scheduler reports one enabled schedule. */
    async function mirrored(scheduler: string) {
      const { agent, agentId } = await connect(scheduler);
      await report(agent, scheduler, "created", body(true));
      return { agent, agentId, schedule: await scheduleOf(scheduler) };
    }
    const commandOf = (agent: RawAgent, id: string) => waitFor(() => agent.frames.find((frame) => frame.id === id));
    const answer = (
      agent: RawAgent,
      { id, payload }: Awaited<ReturnType<typeof commandOf>>,
      result: Record<string, unknown>,
    ) => agent.sendFrame("command_result", { ...result, delivery_claim_token: payload?.delivery_claim_token }, id);

    test("are disabled by their agent, and the operation succeeds once their scheduler reports it", async () => {
      const { agent, agentId, schedule } = await mirrored("success");
      const path = `/projects/${brain.project.slug}/schedules/${schedule.id}`;
      const accepted = await brain.as.operator.post(`${path}/disable`, {});
      expect(accepted).toMatchObject({ status: 202, body: { id: schedule.id, is_enabled: true } });
      const operationId = accepted.headers.get("location")?.split("/").at(-1) ?? "";
      const row = await operation(operationId);
      expect(row).toMatchObject({
        ...{ schedule_id: schedule.id, action: "schedule.disable", status: "pending" },
        desired_is_enabled: false,
        error: null,
      });
      const command = await commandOf(agent, row.command_id);
      expect(command.payload).toMatchObject({
        action: "schedule.disable",
        target: { type: "schedule", id: schedule.id, engine: "success" },
        parameters: { schedule_id: schedule.id, name: "nightly", scheduler: "success" },
      });
      expect(await native().setNativeEnabled(schedule, false, requester())).toEqual({ operationId });
      expect(await brain.as.operator.post(`${path}/enable`, {})).toMatchObject({
        status: 409,
        body: { error: "conflict", details: { reason: "operation_pending", operation_id: operationId } },
      });
      answer(agent, command, { status: "success", result: {} });
      await agent.settle();
      expect(await statusOf(operationId)).toBe("pending");
      await report(agent, "success", "updated", body(false));
      await waitFor(async () => (await statusOf(operationId)) === "succeeded");
      const [entry, ...others] = await entries(schedule.id);
      expect([entry?.action, others]).toEqual(["schedule.disable", []]);
      expect(JSON.parse(entry!.metadata)).toMatchObject({
        ...{ name: "nightly", scheduler: "success", operation_id: operationId },
        ...{ command_id: row.command_id, agent_id: agentId },
      });
    });

    test("give a failed operation the error of their agent", async () => {
      const { agent, schedule } = await mirrored("failure");
      const { operationId } = await native().setNativeEnabled(schedule, false, requester());
      const command = await commandOf(agent, (await operation(operationId)).command_id);
      answer(agent, command, { status: "failed", error: "Job scheduler nightly does not exist." });
      await waitFor(async () => (await statusOf(operationId)) === "failed");
      expect((await operation(operationId)).error).toBe("Job scheduler nightly does not exist.");
    });

    test("have an ambiguous operation when the agent disconnects with the command", async () => {
      const { agent, agentId, schedule } = await mirrored("lost");
      const { operationId } = await native().setNativeEnabled(schedule, false, requester());
      await commandOf(agent, (await operation(operationId)).command_id);
      await agent.close();
      await waitFor(async () => {
        const row = await db().selectFrom("agents").select("state").where("id", "=", agentId).executeTakeFirst();
        return row?.state === "offline";
      });
      await brain.runLoop("native-schedules.settle");
      expect(await statusOf(operationId)).toBe("ambiguous");
      expect((await entries(schedule.id)).map(({ action }) => action)).toEqual([
        "schedule.disable",
        "schedule.external_control.executor_lost",
      ]);
    });

    test("cannot be controlled without an online agent that offers it for their scheduler", async () => {
      const { agent, schedule } = await mirrored("absent");
      await agent.close();
      await waitFor(async () => {
        const result = native().triggerNative(schedule, requester());
        return (await result.catch(({ details }) => details.reason)) !== undefined;
      });
      const { agent: other } = await connect("absent", { absent: ["schedule.resync"] });
      await expect(native().setNativeEnabled(schedule, false, requester())).rejects.toMatchObject({
        code: "conflict",
        details: { reason: "no_online_agent" },
      });
      await expect(native().triggerNative(schedule, requester())).rejects.toMatchObject({
        code: "not_found",
        details: { reason: "scheduler_not_installed" },
      });
      const path = `/projects/${brain.project.slug}/schedules/${schedule.id}/trigger`;
      expect(await brain.as.operator.post(path, {})).toMatchObject({
        status: 404,
        body: { error: "not_found", details: { reason: "scheduler_not_installed", scheduler: "absent" } },
      });
      await other.close();
    });

    test("are run once by their agent, without a fire", async () => {
      const { agent, agentId, schedule } = await mirrored("trigger");
      const path = `/projects/${brain.project.slug}/schedules/${schedule.id}/trigger`;
      const { status, body: accepted } = await brain.as.operator.post(path, {});
      const { command_id: commandId, ...shown } = accepted;
      expect([status, shown.id, shown.scheduler, shown.fire_id]).toEqual([202, schedule.id, "trigger", null]);
      expect((await commandOf(agent, commandId)).payload).toMatchObject({
        action: "schedule.trigger_now",
        parameters: { schedule_id: schedule.id, name: "nightly", scheduler: "trigger" },
      });
      expect(await db().selectFrom("schedule_fires").selectAll().execute()).toEqual([]);
      const [entry, ...others] = await entries(schedule.id);
      expect([entry?.action, JSON.parse(entry!.metadata), others]).toMatchObject([
        "schedule.trigger_now",
        { command_id: commandId, agent_id: agentId },
        [],
      ]);
    });

    test("disappear with their operations still readable", async () => {
      const { agent, schedule } = await mirrored("deleted");
      const { operationId } = await native().setNativeEnabled(schedule, false, requester());
      await report(agent, "deleted", "deleted", { name: "nightly" });
      const command = await commandOf(agent, (await operation(operationId)).command_id);
      answer(agent, command, { status: "success", result: {} });
      await waitFor(async () => (await statusOf(operationId)) === "failed");
    });
  });
}

for (const dialect of routeDialects) {
  describe(`a resync on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());
    const resync = (as: "admin" | "operator" = "admin") =>
      brain.as[as].post(`/projects/${brain.project.slug}/schedules:resync`, {});

    test("asks every online agent with a scheduler, and is audited once", async () => {
      expect(await resync()).toMatchObject({ status: 202, body: { agents_dispatched: 0, schedulers_observed: [] } });
      const connect = async (capabilities: Record<string, string[]>) => {
        const agent = await connectRaw(
          { url: brain.url, ...(await brain.mintAgent()) },
          { hello: rawHello({ capabilities }) },
        );
        await agent.settle();
        return agent;
      };
      const agents = [
        await connect({ bullmq: ["schedule.resync"], redbeat: ["schedule.resync"] }),
        await connect({ bullmq: ["schedule.resync", "retry_task"] }),
        await connect({ bullmq: ["retry_task"] }),
      ];
      const { status, body } = await resync();
      expect([status, body]).toEqual([202, { agents_dispatched: 2, schedulers_observed: ["bullmq", "redbeat"] }]);
      const asked = (agent: RawAgent) =>
        agent.frames.filter(({ type }) => type === "command").map(({ payload }) => payload?.parameters);
      await waitFor(() => agents.slice(0, 2).every((agent, index) => asked(agent).length === 2 - index));
      expect(new Set(asked(agents[0]!))).toEqual(new Set([{ engine: "bullmq" }, { engine: "redbeat" }]));
      expect([asked(agents[1]!), asked(agents[2]!)]).toEqual([[{ engine: "bullmq" }], []]);
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .select("metadata")
        .where("action", "=", "schedule.resync")
        .orderBy("occurred_us")
        .execute();
      expect(rows.map(({ metadata }) => JSON.parse(metadata).agents_dispatched)).toEqual([0, 2]);
    });

    test("is for admins, under its one method", async () => {
      expect((await resync("operator")).status).toBe(403);
      const { status, headers } = await brain.as.admin.get(`/projects/${brain.project.slug}/schedules:resync`);
      expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    });
  });
}
