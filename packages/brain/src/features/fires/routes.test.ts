import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { routeDialects } from "@svc/testkit/databases";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { schedulesPath as path, useSchedules } from "../../../test/fixtures/schedules/schedules-fixture.ts";
import { fireRow } from "../../../test/rows/fire-rows.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { ScheduleFireRow, Tables } from "../../schema/tables/index.ts";
import { insertFires } from "./firing/fire-store.ts";
import { firePartitions } from "./firing/partitions.ts";

for (const dialect of routeDialects) {
  describe(`fires on ${dialect}`, () => {
    const schedules = useSchedules(dialect);
    const own = { scheduler: "svc-scheduler" };
    const agents: RawAgent[] = [];
    afterEach(async () => {
      await Promise.all(agents.splice(0).map((agent) => agent.close()));
      await waitFor(async () => {
        const { body } = await schedules.brain.as.viewer.get("/projects/shop/agents");
        return body.items.every(({ state }: { state: string }) => state !== "online");
      });
    });
    async function connect(capabilities: Record<string, string[]>) {
      const minted = await schedules.brain.mintAgent();
      const hello = rawHello({ engines: Object.keys(capabilities), capabilities });
      const agent = await connectRaw({ url: schedules.brain.url, ...minted }, { hello });
      agent.skewMs = schedules.clock.now().getTime() - Date.now();
      agents.push(agent);
      return { agent, agentId: minted.agentId };
    }
    /** A stored fire, `seconds` after the present. */
    async function fire(schedule_id: string, seconds: number, given: Partial<ScheduleFireRow> = {}) {
      const fired_at = new Date(schedules.clock.now().getTime() + seconds * 1000);
      const row = fireRow({ project_id: schedules.brain.project.id, schedule_id, fired_at, ...given });
      await firePartitions(schedules.database)?.ensureFor([fired_at.getTime()]);
      await schedules.database.write((tx) => insertFires(tx, [row]));
      return row;
    }
    const get = (query: string, as: "viewer" | "stranger" = "viewer") => schedules.brain.as[as].get(`${path}${query}`);
    const firesOf = async (id: string) => (await get(`/${id}/fires`)).body as Record<string, unknown>[];

    describe("GET /schedules/{id}/fires", () => {
      test("lists them newest first, up to the limit", async () => {
        const id = await schedules.add(own);
        const rows = [];
        for (const at of [0, 20, 10]) rows.push(await fire(id, at));
        const { status, body } = await get(`/${id}/fires`);
        expect(status).toBe(200);
        const [first, last, middle] = rows;
        const newestFirst = [last, middle, first].map((row) => row?.id);
        expect(body.map((each: { id: string }) => each.id)).toEqual(newestFirst);
        expect(Object.keys(body[0]).sort()).toEqual(
          [
            ...["id", "fire_id", "schedule_id", "command_id", "status", "scheduled_for", "fired_at", "dispatched_at"],
            ...["acked_at", "latency_ms", "error_code", "error_message", "triggered_by_user_id", "task_id"],
          ].sort(),
        );
        expect((await get(`/${id}/fires?limit=2`)).body).toHaveLength(2);
        for (const limit of [0, -1, 1_000_000]) expect((await get(`/${id}/fires?limit=${limit}`)).body).toHaveLength(3);
      });

      test("returns at most 1000, and 100 by default", async () => {
        const id = await schedules.add(own);
        const project_id = schedules.brain.project.id;
        const fired_at = schedules.clock.now();
        const rows = Array.from({ length: 500 }, () => () => fireRow({ project_id, schedule_id: id, fired_at }));
        await firePartitions(schedules.database)?.ensureFor([fired_at.getTime()]);
        for (const _part of [1, 2, 3]) {
          await schedules.database.write((tx) =>
            insertFires(
              tx,
              rows.map((make) => make()),
            ),
          );
        }
        expect((await get(`/${id}/fires?limit=1001`)).body).toHaveLength(1000);
        expect((await get(`/${id}/fires`)).body).toHaveLength(100);
      });

      test("answers 404 for an unknown schedule", async () => {
        expect(await get(`/${randomUUID()}/fires`)).toMatchObject({ status: 404, body: { error: "not_found" } });
        expect(await get(`/${randomUUID()}/misfires`)).toMatchObject({ status: 404, body: { error: "not_found" } });
      });
    });

    describe("GET /schedules/runs", () => {
      test("returns the newest fires of each schedule, in the order of the query and each once", async () => {
        const [one, two, without] = [await schedules.add(own), await schedules.add(own), await schedules.add(own)];
        const rows = [];
        for (const at of [0, 10, 20]) rows.push(await fire(one, at, { latency_ms: at, error_code: `code-${at}` }));
        const other = await fire(two, 5, { status: "failed" });
        const ids = [two, without, one, two.toUpperCase(), randomUUID()];
        const { status, body } = await get(`/runs?limit=2&${ids.map((id) => `id=${id}`).join("&")}`);
        expect(status).toBe(200);
        const run = ({ fire_id, status, scheduled_for, fired_at, latency_ms, error_code }: ScheduleFireRow) => ({
          ...{ fire_id, status, latency_ms, error_code },
          ...{ scheduled_for: scheduled_for.toISOString(), fired_at: fired_at.toISOString() },
        });
        expect(body).toEqual({
          circuit_breaker_threshold: 5,
          items: [
            { schedule_id: two, fires: [run(other)] },
            { schedule_id: without, fires: [] },
            { schedule_id: one, fires: [run(rows[2]!), run(rows[1]!)] },
          ],
        });
      });

      test("leaves out schedules of other projects", async () => {
        const { brain } = schedules;
        await brain.as.root.post("/projects", { slug: "other", name: "Other" });
        const id = await schedules.add(own);
        await fire(id, 0);
        const answer = await brain.as.root.get(`/projects/other/schedules/runs?id=${id}`);
        expect(answer).toMatchObject({ status: 200, body: { items: [] } });
      });

      test("takes 500 ids and refuses more, none, other texts, and other limits", async () => {
        const id = await schedules.add(own);
        const ids = (count: number) => Array.from({ length: count }, () => `id=${randomUUID()}`).join("&");
        expect(await get(`/runs?${ids(499)}&id=${id}`)).toMatchObject({
          status: 200,
          body: { items: [{ fires: [] }] },
        });
        for (const query of [ids(501), "", "id=", "id=nightly", `id=${id}&limit=0`, `id=${id}&limit=51`]) {
          expect((await get(`/runs?${query}`)).status).toBe(422);
        }
      });
    });

    describe("GET misfires", () => {
      test("lists those of the project and of a schedule, newest first", async () => {
        const [one, two] = [await schedules.add(own), await schedules.add(own)];
        const now = schedules.clock.now();
        const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
        const alert = (schedule_id: string, seconds: number) => ({
          ...{ schedule_id, project_id: schedules.brain.project.id, misfire_kind: "missed_slot" },
          ...{ expected_fire_at: at(seconds - 90), detected_at: at(seconds), lateness_seconds: 90, grace_seconds: 60 },
          ...{ name: "nightly", engine: "bullmq", kind: "cron" },
        });
        const alerts = [alert(one, 0), alert(two, 10), alert(one, 20)];
        await schedules.database.write((tx) => tx.insertInto("misfire_alerts").values(alerts).execute());
        const all = (await get("/misfires")).body;
        expect(all.map((each: { schedule_id: string }) => each.schedule_id)).toEqual([one, two, one]);
        expect(all[0]).toEqual({
          ...{ schedule_id: one, misfire_kind: "missed_slot", lateness_seconds: 90, grace_seconds: 60 },
          ...{ detected_at: at(20).toISOString(), expected_fire_at: at(-70).toISOString() },
          ...{ name: "nightly", engine: "bullmq", kind: "cron" },
        });
        expect((await get("/misfires?limit=1")).body).toHaveLength(1);
        expect((await get(`/${two}/misfires`)).body).toMatchObject([{ schedule_id: two }]);
      });
    });

    describe("POST trigger", () => {
      const trigger = (id: string) => schedules.act(id, "trigger");
      // The bulk bucket allows few requests a minute.
      beforeEach(() => schedules.clock.advance(61_000));

      test("sends the task to an agent and records who ran it, without changing the slots", async () => {
        const { agent, agentId } = await connect({ bullmq: ["submit_task"] });
        const next_run_at = new Date(schedules.clock.now().getTime() + 3_600_000);
        const id = await schedules.add({ ...own, next_run_at });
        const { status, body } = await trigger(id);
        expect(status).toBe(202);
        expect(body).toMatchObject({ id, next_run_at: next_run_at.toISOString(), total_runs: 0 });
        const frame = await waitFor(() => agent.frames.find(({ type }) => type === "command"), { that: "the command" });
        expect(frame).toMatchObject({
          id: body.command_id,
          payload: {
            action: "schedule.fire",
            target: { type: "schedule", id, engine: "bullmq" },
            parameters: { schedule_id: id, fire_id: body.fire_id, scheduled_for: schedules.clock.now().toISOString() },
          },
        });
        const delivery_claim_token = frame.payload?.delivery_claim_token;
        agent.sendFrame(
          "command_result",
          { status: "success", result: { task_id: "job" }, delivery_claim_token },
          frame.id,
        );
        await waitFor(async () => (await firesOf(id))[0]?.status === "acked_success");
        const command = await schedules.brain.as.operator.get(`/projects/shop/commands/${body.command_id}`);
        const target = { target_type: "schedule", target_id: id };
        expect(command.body).toMatchObject({ agent_id: agentId, issued_by: expect.any(String), ...target });
        expect(await firesOf(id)).toMatchObject([
          {
            fire_id: body.fire_id,
            command_id: body.command_id,
            task_id: "job",
            triggered_by_user_id: command.body.issued_by,
          },
        ]);
        expect(await schedules.actionsOf(id)).toEqual(["schedule.trigger_now"]);
      });

      test("is not attributed to a user who is no member of the project", async () => {
        await connect({ bullmq: ["submit_task"] });
        const id = await schedules.add(own);
        const root = (tx: Tx<Tables>) => tx.selectFrom("users").select("id").where("is_admin", "=", true);
        await schedules.database.write((tx) => tx.deleteFrom("memberships").where("user_id", "in", root(tx)).execute());
        const { status } = await schedules.brain.as.root.post(`${path}/${id}/trigger`);
        expect(status).toBe(202);
        expect(await firesOf(id)).toMatchObject([{ triggered_by_user_id: null }]);
      });

      test("runs a disabled schedule", async () => {
        await connect({ bullmq: ["submit_task"] });
        const id = await schedules.add({ ...own, is_enabled: false });
        expect(await trigger(id)).toMatchObject({ status: 202, body: { is_enabled: false, next_run_at: null } });
      });

      test.each([
        ["schedule_paused", { paused_at: new Date() }],
        ["schedule_quarantined", { quarantined_at: new Date(), quarantine_code: "x" }],
      ])("answers 409 %s", async (reason, state) => {
        await connect({ bullmq: ["submit_task"] });
        const id = await schedules.add({ ...own, ...state });
        expect(await trigger(id)).toMatchObject({ status: 409, body: { error: "conflict", details: { reason } } });
        expect(await firesOf(id)).toEqual([]);
      });

      test.each([
        ["no_online_agent", 404, null],
        ["engine_not_installed", 404, { celery: ["submit_task"] }],
        ["schedule_not_runnable", 409, { bullmq: ["retry_task"] }],
      ])("answers %s, and stores nothing", async (reason, status, capabilities) => {
        if (capabilities !== null) await connect(capabilities as Record<string, string[]>);
        const id = await schedules.add(own);
        expect(await trigger(id)).toMatchObject({ status, body: { details: { reason } } });
        expect(await firesOf(id)).toEqual([]);
        const pending = schedules.database.read.selectFrom("pending_fires").select("fire_id");
        expect(await pending.where("schedule_id", "=", id).execute()).toEqual([]);
      });

      test("answers 404 for an unknown schedule", async () => {
        expect(await trigger(randomUUID())).toMatchObject({ status: 404, body: { details: { resource: "schedule" } } });
      });

      test("asks the scheduler of an engine for its own schedules, without a fire", async () => {
        const id = await schedules.add({ scheduler: "bullmq" });
        expect(await trigger(id)).toMatchObject({ status: 404, body: { details: { reason: "no_online_agent" } } });
        await connect({ celery: ["schedule.trigger_now"] });
        const reason = "scheduler_not_installed";
        expect(await trigger(id)).toMatchObject({ status: 404, body: { details: { reason } } });
        await connect({ bullmq: ["schedule.trigger_now"] });
        const { status, body } = await trigger(id);
        expect([status, body.id, body.fire_id]).toEqual([202, id, null]);
        const command = await schedules.brain.as.operator.get(`/projects/shop/commands/${body.command_id}`);
        expect(command.body).toMatchObject({ action: "schedule.trigger_now", target_id: id });
        expect(await firesOf(id)).toEqual([]);
      });
    });

    describe("POST resolve-terminal-fire", () => {
      async function open(status = "terminal_timeout", given = {}) {
        const id = await schedules.add({ ...own, control_token: "seen", ...given });
        const { fire_id } = await fire(id, 0, { status });
        const resolve = (body: object = {}) =>
          schedules.brain.as.operator.post(`${path}/${id}/resolve-terminal-fire`, {
            ...{ fire_id, expected_status: status, resolution: "completed", observed_control_token: "seen" },
            work_may_have_executed: true,
            ...body,
          });
        return { id, fire_id, resolve };
      }

      test.each([
        ["completed", "terminal_completed", "schedule.fire.resolved"],
        ["failed", "terminal_failed", "schedule.fire.resolved"],
        ["cancelled", "terminal_cancelled", "schedule.fire.resolved"],
        ["skipped", "operator_skipped", "schedule.fire.operator_skipped"],
      ])("ends a fire that timed out as %s, once", async (resolution, status, action) => {
        const { id, fire_id, resolve } = await open();
        expect(await resolve({ resolution })).toMatchObject({
          status: 200,
          body: { disposition: "resolved", schedule: { id, control_token: "seen" }, fire: { fire_id, status } },
        });
        expect(await firesOf(id)).toMatchObject([{ status }]);
        expect(await resolve({ resolution })).toMatchObject({ status: 200, body: { disposition: "already_resolved" } });
        expect(await schedules.actionsOf(id)).toEqual([action]);
      });

      test("ends an open fire, also one that waits in the buffer", async () => {
        const { id, resolve } = await open("buffered");
        expect(await resolve({ resolution: "timeout" })).toMatchObject({
          body: { fire: { status: "terminal_timeout" } },
        });
        const pending = schedules.database.read.selectFrom("pending_fires").select("fire_id");
        expect(await pending.where("schedule_id", "=", id).execute()).toEqual([]);
      });

      test("disables or enables the schedule as requested", async () => {
        const { id, resolve } = await open();
        const { body } = await resolve({ enabled_after_resolution: false });
        expect(body.schedule).toMatchObject({ is_enabled: false, next_run_at: null });
        expect(body.schedule.control_token).not.toBe("seen");
        expect((await schedules.get(id)).body.is_enabled).toBe(false);
        const disabled = await open("delivered", { is_enabled: false });
        expect((await disabled.resolve()).body.schedule).toMatchObject({ is_enabled: true });
      });

      test("leaves a clocked schedule that is over disabled", async () => {
        const over = { kind: "clocked", expression: "2020-01-01T00:00:00Z", is_enabled: false, next_run_at: null };
        const { resolve } = await open("terminal_timeout", over);
        expect(await resolve()).toMatchObject({ status: 200, body: { schedule: { is_enabled: false } } });
      });

      test.each([
        ["stale_control", "terminal_timeout", { observed_control_token: "other" }],
        ["status_changed", "delivered", { expected_status: "accepted" }],
        ["not_resolvable", "acked_success", {}],
      ])("answers 409 %s", async (disposition, status, body) => {
        const { id, resolve } = await open(status);
        const details = { disposition, live_control_token: "seen", status };
        expect(await resolve(body)).toMatchObject({ status: 409, body: { error: "conflict", details } });
        expect(await firesOf(id)).toMatchObject([{ status }]);
      });

      test("answers 404 for a fire of another schedule, and 422 without the confirmation", async () => {
        const { resolve } = await open();
        const other = await open();
        for (const fire_id of [randomUUID(), other.fire_id]) {
          expect(await resolve({ fire_id })).toMatchObject({ status: 404, body: { details: { resource: "fire" } } });
        }
        for (const body of [
          { work_may_have_executed: false },
          { resolution: "lost" },
          { expected_status: "lost" },
          { more: 1 },
        ]) {
          expect((await resolve(body)).status).toBe(422);
        }
      });
    });
  });
}
