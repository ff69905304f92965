import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BulkRetryRequestRow } from "../../src/schema/tables/index.ts";
import {
  answering,
  childrenGiven,
  connectEligible,
  failTasks,
  retrying,
  whenRequest,
} from "../fixtures/bulk-retry-fixture.ts";
import { bulkRetryRow } from "../rows/bulk-retry-rows.ts";

const publicUrl = "http://localhost:7799";
const longAgo = new Date(1000);

for (const dialect of testDialects) {
  describe(`bulk retries on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    beforeAll(async () => {
      // Every request uses its own address; ticks run only on demand.
      brain = await startTestBrain({
        dialect,
        env: {
          SVC_TRUSTED_PROXIES: "127.0.0.1",
          SVC_BULK_RETRY_SCAN_SECONDS: "60",
          SVC_PUBLIC_URL: publicUrl,
        },
      });
      ({ agent } = await connectEligible(brain));
    });
    afterAll(() => brain.stop());

    let addresses = 0;
    const nextAddress = () => {
      addresses += 1;
      return { "x-forwarded-for": `10.4.0.${addresses}` };
    };
    const path = (id = "", action = "") =>
      `/projects/${brain.project.slug}/bulk-retry-requests${id === "" ? "" : `/${id}`}${action === "" ? "" : `/${action}`}`;
    const post = (body: object) =>
      brain.as.operator.post(path(), { idempotency_key: randomUUID(), ...body }, nextAddress());
    async function retry(
      count: number,
      { engine = "bullmq", ...more }: { readonly engine?: string; readonly agent_id?: string } = {},
    ) {
      const queue = `queue-${randomUUID()}`;
      const { database } = brain.running.brain;
      const ids = await failTasks(database, { project_id: brain.project.id, queue, engine }, count, queue);
      const { body } = await post({ filter: { queue }, ...more });
      return { id: body.id as string, ids };
    }
    const act = (id: string, action: "pause" | "resume") => brain.as.operator.post(path(id, action));
    const read = async (id: string) => (await brain.as.operator.get(path(id))).body;
    const change = (id: string, changes: Partial<BulkRetryRequestRow>) =>
      brain.running.brain.database.write((tx) =>
        tx.updateTable("bulk_retry_requests").set(changes).where("id", "=", id).execute(),
      );
    /** While another transaction holds the request (on SQLite, every row). */
    async function whileHeld<T>(id: string, work: () => Promise<T>): Promise<T> {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: held, resolve: holds } = Promise.withResolvers<void>();
      const holding = brain.running.brain.database.write(
        async (tx) => {
          await tx.updateTable("bulk_retry_requests").set({ source_ip: "10.0.0.1" }).where("id", "=", id).execute();
          holds();
          await released;
        },
        { alone: true },
      );
      await held;
      try {
        return await work();
      } finally {
        release();
        await holding;
      }
    }

    test("write an audit row for the command of every child, with the request id", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry(10);
      await whenRequest(brain.as.operator, path(id), ({ status }) => status === "succeeded");
      answers.stop();
      const commands = childrenGiven(agent).filter(({ taskId }) => ids.includes(taskId));
      expect(commands).toHaveLength(10);
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .selectAll()
        .where(
          "target_id",
          "in",
          commands.map((command) => command.id),
        )
        .execute();
      expect(new Set(rows.map(({ target_id }) => target_id)).size).toBe(10);
      expect(rows).toHaveLength(10);
      const [command] = commands;
      const row = rows.find(({ target_id }) => target_id === command?.id);
      expect(row).toMatchObject({ action: "command.issue.bulk_retry", target_type: "command", user_id: null });
      expect(JSON.parse(row?.metadata ?? "")).toMatchObject({
        target_id: command?.taskId,
        engine: "bullmq",
        bulk_retry_request_id: id,
      });
    });

    test("name the engine without an eligible agent at the deadline", async () => {
      const { id } = await retry(1, { engine: "unserved" });
      await change(id, { deadline_at: longAgo });
      await brain.runLoop("bulk_retry");
      expect(await read(id)).toMatchObject({
        status: "blocked",
        blocked_reason: "the deadline passed with 1 task unsent: no agent can retry unserved",
      });
    });

    test("say at the deadline that their agent cannot retry, or was revoked", async () => {
      const { agentId } = await brain.mintAgent();
      const reason = "the deadline passed with 1 task unsent";
      const [away, revoked] = [await retry(1, { agent_id: agentId }), await retry(1, { agent_id: agentId })];
      await change(away.id, { deadline_at: longAgo });
      await brain.runLoop("bulk_retry");
      expect((await read(away.id)).blocked_reason).toBe(`${reason}: its agent cannot retry bullmq`);
      await brain.running.brain.database.write((tx) =>
        tx.updateTable("agents").set({ revoked_at: new Date() }).where("id", "=", agentId).execute(),
      );
      await change(revoked.id, { deadline_at: longAgo });
      await brain.runLoop("bulk_retry");
      expect((await read(revoked.id)).blocked_reason).toBe(`${reason}: its agent was revoked`);
    });

    test("are skipped by ticks while they wait for an operator", async () => {
      const { id } = await retry(1, { engine: "unserved" });
      await act(id, "pause");
      await whileHeld(id, () => brain.runLoop("bulk_retry"));
      expect(await read(id)).toMatchObject({ status: "paused" });
    });

    test("are deleted when they have waited for an operator longer than the history retention", async () => {
      const [left, kept] = [await retry(2, { engine: "unserved" }), await retry(1, { engine: "unserved" })];
      for (const { id } of [left, kept]) await act(id, "pause");
      await change(left.id, { deadline_at: longAgo });
      // Requests with recent progress, or resumed recently, stay.
      await change(kept.id, { deadline_at: longAgo, last_progress_at: new Date() });
      await brain.runLoop("bulk_retry.retention");
      expect((await brain.as.operator.get(path(left.id))).status).toBe(404);
      expect((await read(kept.id)).status).toBe("paused");
      const children = await brain.running.brain.database.read
        .selectFrom("bulk_retry_children")
        .select("parent_id")
        .where("parent_id", "in", [left.id, kept.id])
        .execute();
      expect(children).toEqual([{ parent_id: kept.id }]);
    });

    test("without allowance are skipped by polls until a result frees capacity, and do not hide others", async () => {
      const full = { project_id: brain.project.id, claimed_count: 8, pending_count: 12, canonical_digest: "older" };
      const older = Array.from({ length: 1001 }, () => bulkRetryRow(full));
      const { database } = brain.running.brain;
      await database.write(async (tx) => {
        for (const row of older) await tx.insertInto("bulk_retry_requests").values(row).execute();
      });
      const { id } = await retry(9, { engine: "rq" });
      const { agentId } = await brain.mintAgent();
      const { commands } = brain.running.brain.features;
      const claim = async () => {
        const request = { agentId, max: 20, retryContracts: new Set(["rq"]), withResends: true };
        return (await commands.claim(request)).commands;
      };
      // A request that the coordinator holds at the moment is skipped.
      let given: Awaited<ReturnType<typeof claim>> = [];
      const claims = async () => {
        given = await claim();
        return given.length;
      };
      await expect.poll(claims).toBe(8);
      expect(await whileHeld(id, claim)).toEqual([]);
      const first = given[0]!;
      const { delivery_claim_token, target } = first.payload as {
        delivery_claim_token: string;
        target: { id: string };
      };
      await commands.reports.resulted(agentId, first.id, {
        status: "success",
        result: { results: [{ task_id: target.id, status: "success" }] },
        delivery_claim_token,
      });
      await expect.poll(claims).toBe(1);
      await database.write((tx) =>
        tx.deleteFrom("bulk_retry_requests").where("canonical_digest", "=", full.canonical_digest).execute(),
      );
    });

    test.each([
      ["celery", [...retrying, "retry_resubmits"]],
      ["huey", ["bulk_retry", "retry_resubmits"]],
    ])("are refused for %s, whose agents retry only with overrides and list %j", async (engine, tokens) => {
      const { agent: resubmitting, minted } = await connectEligible(brain, {
        engines: [engine],
        capabilities: { [engine]: tokens },
      });
      await resubmitting.settle();
      for (const more of [{}, { agent_id: minted.agentId }]) {
        const { status, body } = await post({ filter: { engine }, ...more });
        expect([status, body.error, body.details]).toEqual([409, "conflict", { reason: "overrides_required", engine }]);
      }
      // One eligible agent is enough.
      const { agent: other } = await connectEligible(brain, {
        engines: [engine],
        capabilities: { [engine]: retrying },
      });
      await other.settle();
      expect((await post({ filter: { engine, queue: "none" } })).status).toBe(200);
      await Promise.all([resubmitting.close(), other.close()]);
    });

    test("are listed newest first by pages, for operators of their project only", async () => {
      const other = await brain.addProject(`other-${randomUUID().slice(0, 8)}`, "Other");
      const list = `/projects/${other.slug}/bulk-retry-requests`;
      const ids: string[] = [];
      for (const queue of ["a", "b", "c"]) {
        const body = { idempotency_key: queue, filter: { queue } };
        ids.unshift((await brain.as.root.post(list, body, nextAddress())).body.id);
      }
      const first = (await brain.as.root.get(`${list}?limit=2`)).body;
      expect(first.items).toEqual(
        await Promise.all(ids.slice(0, 2).map(async (id) => (await brain.as.root.get(`${list}/${id}`)).body)),
      );
      const rest = (await brain.as.root.get(`${list}?limit=2&cursor=${first.next_cursor}`)).body;
      expect(rest).toMatchObject({ items: [{ id: ids[2] }], next_cursor: null });
      // An invalid cursor starts from the beginning.
      expect((await brain.as.root.get(`${list}?cursor=nonsense`)).body.items).toHaveLength(3);
      const none = await brain.as.root.get(`${list}?command_id=${randomUUID()}`);
      expect(none.body).toMatchObject({ items: [], next_cursor: null });
      expect((await brain.as.root.get(`${list}?command_id=one`)).status).toBe(422);
      expect((await brain.as.viewer.get(path())).status).toBe(403);
      expect((await brain.as.operator.get(path())).body.items.map(({ id }: { id: string }) => id)).not.toContain(
        ids[0],
      );
    });

    test("have a location below the public address, whatever the request line says", async () => {
      const { headers, body } = await post({ filter: { queue: "none" } });
      expect(headers.get("location")).toBe(`${publicUrl}/api/v1${path(body.id)}`);
      const { cookie, csrfToken } = brain.as.operator;
      const location = await new Promise<string | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(brain.url);
        const asked = httpRequest(
          {
            host: hostname,
            port,
            method: "POST",
            path: `http://elsewhere.example/api/v1${path()}`,
            headers: { cookie, "x-csrf-token": csrfToken, "content-type": "application/json", ...nextAddress() },
          },
          (response) => {
            response.resume();
            resolve(response.headers.location);
          },
        );
        asked.on("error", reject);
        asked.end(JSON.stringify({ idempotency_key: randomUUID(), filter: { queue: "none" } }));
      });
      expect(location).toMatch(new RegExp(`^${publicUrl}/api/v1${path()}/[0-9a-f-]{36}$`));
    });
  });
}
