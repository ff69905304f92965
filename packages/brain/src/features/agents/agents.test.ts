import { type HelloPayload, tokenDigest, tokenLabels } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { type Audit, createAudit, ownOrigin } from "../audit/index.ts";
import { type AgentIdentity, type Agents, createAgents } from "./index.ts";

const masters = createKeyring("0123456789abcdef0123456789abcdef-demo-master", ["previous-".repeat(5)]);
const projectId = "11111111-2222-4333-8444-555555555555";
const settings = {
  SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: 30,
  SVC_AGENT_STALE_PRUNE_DAYS: 30,
  SVC_AGENT_STATUS_MAX_PER_AGENT: 5,
};

const hello = (changes: Partial<HelloPayload> = {}): HelloPayload => ({
  protocol_version: "2",
  agent_version: "1.0.0",
  framework: "node",
  engines: ["bullmq"],
  schedulers: [],
  capabilities: { bullmq: ["retry_task"] },
  host: { name: "box\0-1" },
  worker_id: "node-1-1",
  worker_role: "task",
  worker_pid: 1,
  worker_started_at: "2026-01-02T03:04:05Z",
  runtime_features: [],
  ...changes,
});

for (const dialect of testDialects) {
  describe(`agents on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock();
    const published: string[][] = [];
    const errors: unknown[] = [];
    const cancelled: string[] = [];
    let audit: Audit;
    let agents: Agents;

    const agentsOn = (database: Database<Tables>, otherMasters = masters) =>
      createAgents({
        database,
        clock,
        audit,
        masters: otherMasters,
        brainVersion: "1.0.0",
        settings,
        publish: ({ ids }) => void published.push(ids),
        onError: (error) => void errors.push(error),
        commandCancelled: ({ action }) => void cancelled.push(action),
      });

    async function minted(name: string): Promise<{ identity: AgentIdentity; token: string }> {
      const { agent, token } = await agents.mint({ projectId, name, origin: ownOrigin });
      return { identity: { agent_id: agent.id, project_id: projectId, name, project_is_active: true }, token };
    }
    const stateOf = async (id: string) => (await agents.get(projectId, id)).state;

    beforeAll(async () => {
      const { database } = opened;
      audit = createAudit({
        database,
        secrets: createKeyring("audit-secret-0123456789-0123456789ab"),
        clock,
        onError: (error) => void errors.push(error),
      });
      await audit.prepare();
      const at = clock.now();
      await database.write((tx) =>
        tx
          .insertInto("projects")
          .values({
            id: projectId,
            slug: "shop",
            name: "Shop",
            description: null,
            environment: "production",
            timezone: "UTC",
            is_active: true,
            automation_enabled: true,
            automation_revision: 1,
            default_scheduler_owner: "svc-scheduler",
            allowed_schedulers: null,
            settings: null,
            organization_id: null,
            created_at: at,
            updated_at: at,
          })
          .execute(),
      );
      agents = agentsOn(database);
      await agents.start();
    });
    afterAll(() => agents.stop());

    test("are minted with a bearer that is stored as its digest only, and the project's signing secret", async () => {
      const { agent, token, hmac_secret } = await agents.mint({ projectId, name: "minted", origin: ownOrigin });
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(hmac_secret).toBe("j4FxN6bu7pg1VUy72FgvUZHfy_AELjCuIGv3ijjSz6I=");
      expect(agent).toMatchObject({ name: "minted", state: "unknown", version_status: null, is_outdated: false });
      const row = await opened.database.read
        .selectFrom("agents")
        .selectAll()
        .where("id", "=", agent.id)
        .executeTakeFirstOrThrow();
      expect(row.token_hash).toBe(tokenDigest(masters.current, tokenLabels.agentToken, token));
      expect(JSON.stringify(row)).not.toContain(token);
      const audited = await opened.database.read
        .selectFrom("audit_log")
        .selectAll()
        .where("target_id", "=", agent.id)
        .execute();
      expect(audited).toMatchObject([
        { action: "agent.token.minted", project_id: projectId, metadata: '{"name":"minted"}' },
      ]);
    });

    test("have a name of their own in the project, and a refused mint leaves nothing behind", async () => {
      await minted("twice");
      const before = (await opened.database.read.selectFrom("audit_log").select("id").execute()).length;
      await expect(minted("twice")).rejects.toMatchObject({ code: "conflict", details: { reason: "name_in_use" } });
      expect(await opened.database.read.selectFrom("audit_log").select("id").execute()).toHaveLength(before);
    });

    test("are known by their token under the current and under a previous master, and by nothing else", async () => {
      const { identity, token } = await minted("known");
      expect(await agents.authenticate(token)).toEqual(identity);
      expect(await agents.authenticate(token)).toEqual(identity);
      const rotated = agentsOn(opened.database, createKeyring("n".repeat(40), [masters.current]));
      expect(await rotated.authenticate(token)).toEqual(identity);
      expect(await agents.authenticate(`${token}x`)).toBeNull();
      expect(await agents.authenticate("")).toBeNull();
      expect(await agents.authenticate("x".repeat(10_000))).toBeNull();
    });

    test("come online with what hello said, and the process row of the connection", async () => {
      const { identity } = await minted("online");
      published.length = 0;
      expect(await agents.connected(identity, hello(), clock.now())).toBe(true);
      await agents.workerConnected(identity, hello(), clock.now());
      expect(await agents.get(projectId, identity.agent_id)).toMatchObject({
        state: "online",
        engine_adapters: ["bullmq"],
        capabilities: { bullmq: ["retry_task"] },
        host_name: "box\ufffd-1",
        version_status: "current",
        transport: "ws",
        last_connect_at: clock.now().toISOString(),
      });
      expect(published).toEqual([[identity.agent_id]]);
      const processes = await agents.listProcesses(projectId, { role: "task", limit: 10 });
      expect(processes).toMatchObject([
        { worker_id: "node-1-1", pid: 1, state: "online", started_at: "2026-01-02T03:04:05.000Z" },
      ]);
      expect(await agents.listProcesses(projectId, { state: "offline", limit: 10 })).toEqual([]);
    });

    test("go offline with their last connection, but not when a newer one came meanwhile", async () => {
      const { identity } = await minted("leaving");
      const firstAt = clock.now();
      await agents.connected(identity, hello(), firstAt);
      await agents.workerConnected(identity, hello(), firstAt);
      clock.advance(1000);
      await agents.connected(identity, hello(), clock.now());
      await agents.workerConnected(identity, hello(), clock.now());

      await agents.disconnected(identity, "node-1-1", firstAt, true);
      expect(await stateOf(identity.agent_id)).toBe("online");
      await agents.seen(identity, "node-1-1", clock.now());
      await agents.disconnected(identity, "node-1-1", clock.now(), false);
      expect(await stateOf(identity.agent_id)).toBe("online");
      await agents.disconnected(identity, "node-1-1", clock.now(), true);
      await agents.flush();
      expect(await stateOf(identity.agent_id)).toBe("offline");
      expect(await agents.listProcesses(projectId, { state: "online", limit: 10 })).not.toContainEqual(
        expect.objectContaining({ agent_id: identity.agent_id }),
      );
    });

    test("are taken offline once they were silent for the timeout, and return with contact", async () => {
      const { identity } = await minted("silent");
      await agents.connected(identity, hello({ worker_id: null }), clock.now());
      await agents.workerConnected(identity, hello({ worker_id: null }), clock.now());
      clock.advance(30_000);
      await agents.sweepOffline();
      expect(await stateOf(identity.agent_id)).toBe("online");
      clock.advance(1);
      published.length = 0;
      expect(await agents.sweepOffline()).toBeGreaterThanOrEqual(1);
      expect(await stateOf(identity.agent_id)).toBe("offline");
      expect(published.flat()).toContain(identity.agent_id);
      expect(await agents.sweepOffline()).toBe(0);

      published.length = 0;
      expect(await agents.seen(identity, null, clock.now())).toBe(true);
      await agents.flush();
      expect(await stateOf(identity.agent_id)).toBe("online");
      expect(published).toEqual([[identity.agent_id]]);
      const processes = await agents.listProcesses(projectId, { state: "online", limit: 10 });
      expect(processes).toMatchObject([{ worker_id: null, agent_id: identity.agent_id }]);
      expect((await agents.countOnline(10)).projects).toEqual([{ slug: "shop", count: 1 }]);
    });

    test("come online by a long-poll upload, not by a probe alone", async () => {
      const { identity } = await minted("polling");
      await agents.probed(identity, ["bulk"], clock.now());
      expect(await agents.get(projectId, identity.agent_id)).toMatchObject({ state: "unknown", transport: "longpoll" });
      await agents.uploaded(identity, clock.now());
      await agents.flush();
      expect(await stateOf(identity.agent_id)).toBe("online");
      expect((await agents.countByState(projectId)).online).toBeGreaterThanOrEqual(1);
    });

    test("keep their newest samples, as sent", async () => {
      const { identity } = await minted("sampled");
      const at = clock.now().getTime();
      for (let index = 0; index < 8; index += 1) {
        await agents.recordSample(identity, new Date(at + index), { index, text: "a\0\ud800" });
      }
      const history = await agents.statusHistory(projectId, identity.agent_id);
      expect(history.map(({ payload }) => payload.index)).toEqual([7, 6, 5, 4, 3]);
      expect(history[0]?.payload.text).toBe("a\ufffd\ufffd");
      expect(history[0]?.captured_at).toBe(new Date(at + 7).toISOString());
    });

    test("are not let on when their project was archived by another process, until it is restored", async () => {
      const { identity } = await minted("archived");
      const setActive = (isActive: boolean) =>
        opened.database.write((tx) =>
          tx.updateTable("projects").set({ is_active: isActive }).where("id", "=", projectId).execute(),
        );
      await setActive(false);
      await agents.seen(identity, null, clock.now());
      await agents.flush();
      expect(await agents.seen(identity, null, clock.now())).toBe(false);
      expect(await stateOf(identity.agent_id)).toBe("unknown");
      await setActive(true);
      expect(await agents.connected(identity, hello(), clock.now())).toBe(true);
      expect(await agents.seen(identity, null, clock.now())).toBe(true);
    });

    test("keep of a very long sample only its counters", async () => {
      const { identity } = await minted("talkative");
      const loss = {
        buffer_id: "b",
        runtime_id: "r",
        capacity_evicted_frames: 3,
        content_rejected_frames: 0,
        event_records: 0,
        command_results: 0,
        other_frames: 0,
        unclassified_frames: 0,
        adapter_events: { bullmq: 1 },
      };
      const long = { buffer_depth: 7, engines: ["x".repeat(70_000)], telemetry_loss: loss, surprise: 1 };
      await agents.recordSample(identity, clock.now(), long);
      const [sample] = await agents.statusHistory(projectId, identity.agent_id);
      const { buffer_id, runtime_id, adapter_events, ...counters } = loss;
      expect(sample?.payload).toEqual({ buffer_depth: 7, telemetry_loss: counters });
    });

    test("lose only the sample that cannot be stored", async () => {
      const { identity } = await minted("beside");
      const unknown = { ...identity, agent_id: "11111111-2222-4333-8444-ffffffffffff" };
      // The first one is written at once, so that the next two share a batch.
      const outcomes = await Promise.allSettled(
        [identity, unknown, identity].map((sender, index) => agents.recordSample(sender, clock.now(), { index })),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      const history = await agents.statusHistory(projectId, identity.agent_id);
      expect(history.map(({ payload }) => payload.index)).toEqual([2, 0]);
    });

    test("are revoked for ever: the token is void everywhere, the name free, waiting commands cancelled", async () => {
      const { identity, token } = await minted("revoked");
      const again = await opened.openAgain();
      const elsewhere = agentsOn(again);
      await elsewhere.start();
      const heard: string[] = [];
      const heardElsewhere = Promise.withResolvers<string>();
      agents.onRevoked(({ agentId }) => void heard.push(agentId));
      elsewhere.onRevoked(({ agentId }) => heardElsewhere.resolve(agentId));
      await agents.authenticate(token);
      await elsewhere.authenticate(token);
      await opened.database.write((tx) =>
        tx
          .insertInto("commands")
          .values(
            ["pending", "dispatched"].map((status, index) => ({
              id: `00000000-0000-4000-8000-00000000000${index}`,
              project_id: projectId,
              issued_by: null,
              agent_id: identity.agent_id,
              action: "retry_task",
              target_type: "task",
              target_id: null,
              payload: "{}",
              idempotency_key: null,
              request_digest: null,
              status,
              result: null,
              error: null,
              delivery_claim_token: null,
              issued_at: clock.now(),
              dispatched_at: null,
              acked_at: null,
              last_sent_at: null,
              completed_at: null,
              timeout_at: null,
              source_ip: null,
            })),
          )
          .execute(),
      );

      await agents.revoke({ projectId, id: identity.agent_id.toUpperCase(), origin: ownOrigin });

      expect(heard).toContain(identity.agent_id);
      if (dialect === "postgres") expect(await heardElsewhere.promise).toBe(identity.agent_id);
      expect(await agents.authenticate(token)).toBeNull();
      if (dialect === "postgres") expect(await elsewhere.authenticate(token)).toBeNull();
      expect(await agents.isStillAdmitted(identity)).toBe(false);
      expect(await agents.connected(identity, hello(), clock.now())).toBe(false);
      await agents.seen(identity, null, clock.now());
      await agents.flush();
      expect(await agents.seen(identity, null, clock.now())).toBe(false);
      await expect(agents.get(projectId, identity.agent_id)).rejects.toMatchObject({ code: "not_found" });
      const { name } = await opened.database.read
        .selectFrom("agents")
        .select("name")
        .where("id", "=", identity.agent_id)
        .executeTakeFirstOrThrow();
      expect(name).toBe(`revoked ~${identity.agent_id.slice(0, 8)}`);
      await minted("revoked");
      const commands = await opened.database.read.selectFrom("commands").select("status").orderBy("id").execute();
      expect(commands.map(({ status }) => status)).toEqual(["cancelled", "dispatched"]);
      expect(cancelled).toEqual(["retry_task"]);
      await expect(agents.revoke({ projectId, id: identity.agent_id, origin: ownOrigin })).rejects.toMatchObject({
        code: "not_found",
      });
      await elsewhere.stop();
      await again.close();
    });

    test("are revoked by the hygiene sweep after the stale days, and their ended processes deleted", async () => {
      const { identity } = await minted("stale");
      await agents.connected(identity, hello(), clock.now());
      await agents.workerConnected(identity, hello(), clock.now());
      clock.advance(60_000);
      await agents.sweepOffline();
      clock.advance(31 * 86_400_000);
      const { identity: fresh } = await minted("fresh");
      expect(await agents.sweepStale()).toBeGreaterThanOrEqual(1);
      expect((await agents.list(projectId)).map(({ id }) => id)).toEqual([fresh.agent_id]);
      expect(await opened.database.read.selectFrom("agent_workers").select("id").execute()).toEqual([]);
      expect(errors).toEqual([]);
    });
  });
}
