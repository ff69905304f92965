import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentsFixture, helloOf, projectId, startAgents } from "../../../../test/fixtures/agents-fixture.ts";
import type { AgentIdentity } from "../index.ts";
import { tombstone } from "../store.ts";

const hourMs = 3_600_000;
const dayMs = 86_400_000;

for (const dialect of testDialects) {
  describe(`agents that connect and disconnect on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let fixture: AgentsFixture;
    let agents: AgentsFixture["agents"];
    let clock: AgentsFixture["clock"];
    beforeAll(async () => {
      fixture = await startAgents(opened.database);
      ({ agents, clock } = fixture);
    });
    afterAll(() => agents.stop());

    async function connect(identity: AgentIdentity, workerId: string): Promise<Date> {
      const at = clock.now();
      await agents.presence.connected(identity, helloOf({ worker_id: workerId }), at);
      await agents.presence.workerConnected(identity, helloOf({ worker_id: workerId }), at);
      return at;
    }
    const sweepStale = (signal = new AbortController().signal) => agents.sweepStale(signal);
    const isListed = async ({ agent_id }: AgentIdentity) =>
      (await agents.list(projectId)).some(({ id }) => id === agent_id);

    test("come online with the content of their hello and the process row of the connection", async () => {
      const { identity } = await fixture.minted("online");
      fixture.published.length = 0;
      expect(await agents.presence.connected(identity, helloOf(), clock.now())).toBe(true);
      await agents.presence.workerConnected(identity, helloOf(), clock.now());
      expect(await agents.get(projectId, identity.agent_id)).toMatchObject({
        state: "online",
        engine_adapters: ["bullmq"],
        capabilities: { bullmq: ["retry_task"] },
        host_name: "box\ufffd-1",
        version_status: "current",
        transport: "ws",
        last_connect_at: clock.now(),
      });
      expect(fixture.published).toEqual([[identity.agent_id]]);
      const processes = await agents.listProcesses(projectId, { role: "task", limit: 10 });
      expect(processes).toMatchObject([
        { worker_id: "node-1-1", pid: 1, state: "online", started_at: new Date("2026-01-02T03:04:05.000Z") },
      ]);
      expect(await agents.listProcesses(projectId, { state: "offline", limit: 10 })).toEqual([]);
    });

    test("go offline with their last connection, unless a newer one exists", async () => {
      const { identity } = await fixture.minted("leaving");
      const firstAt = clock.now();
      await agents.presence.connected(identity, helloOf(), firstAt);
      await agents.presence.workerConnected(identity, helloOf(), firstAt);
      clock.advance(1000);
      await agents.presence.connected(identity, helloOf(), clock.now());
      await agents.presence.workerConnected(identity, helloOf(), clock.now());

      await agents.presence.disconnected(identity, "node-1-1", firstAt, true);
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
      await agents.heartbeats.seen(identity, "node-1-1", clock.now());
      await agents.presence.disconnected(identity, "node-1-1", clock.now(), false);
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
      await agents.presence.disconnected(identity, "node-1-1", clock.now(), true);
      await agents.flush();
      expect(await fixture.stateOf(identity.agent_id)).toBe("offline");
      expect(await agents.listProcesses(projectId, { state: "online", limit: 10 })).not.toContainEqual(
        expect.objectContaining({ agent_id: identity.agent_id }),
      );
    });

    test("stay online while another brain has a process of theirs", async () => {
      const { identity } = await fixture.minted("two brains");
      const oneAt = await connect(identity, "one");
      clock.advance(1000);
      const twoAt = await connect(identity, "two");
      // Each is the last connection in its brain.
      await agents.presence.disconnected(identity, "two", twoAt, true);
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
      clock.advance(1000);
      const threeAt = await connect(identity, "three");
      await agents.presence.disconnected(identity, "one", oneAt, true);
      await agents.presence.disconnected(identity, "three", threeAt, true);
      expect(await fixture.stateOf(identity.agent_id)).toBe("offline");
    });

    test("go offline when two brains lose the last processes at once", async () => {
      const { identity } = await fixture.minted("both at once");
      const again = await opened.openAgain();
      const elsewhere = fixture.agentsOn(again);
      const at = await connect(identity, "one");
      await connect(identity, "two");
      await Promise.all([
        agents.presence.disconnected(identity, "one", at, true),
        elsewhere.presence.disconnected(identity, "two", at, true),
      ]);
      expect(await fixture.stateOf(identity.agent_id)).toBe("offline");
      await again.close();
    });

    test.each([
      ["2026-01-02T03:04:05", new Date("2026-01-02T03:04:05.000Z")],
      ["2026-01-02T03:04:05+02:00", new Date("2026-01-02T01:04:05.000Z")],
      ["May 5 1999 (whatever)", null],
      ["-200000-01-01T00:00:00Z", null],
      ["+275760-01-01T00:00:00Z", null],
      [null, null],
    ])("have a process that started at %j", async (worker_started_at, shown) => {
      const { identity } = await fixture.minted(`started ${worker_started_at}`);
      await agents.presence.workerConnected(identity, helloOf({ worker_started_at, worker_role: "web" }), clock.now());
      const processes = await agents.listProcesses(projectId, { role: "web", limit: 100 });
      expect(processes.find(({ agent_id }) => agent_id === identity.agent_id)?.started_at).toEqual(shown);
    });

    test("are marked offline after being silent for the timeout, and return with contact", async () => {
      const { identity } = await fixture.minted("silent");
      await agents.presence.connected(identity, helloOf({ worker_id: null }), clock.now());
      await agents.presence.workerConnected(identity, helloOf({ worker_id: null }), clock.now());
      clock.advance(30_000);
      await agents.presence.sweepOffline();
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
      clock.advance(1);
      fixture.published.length = 0;
      expect(await agents.presence.sweepOffline()).toBeGreaterThanOrEqual(1);
      expect(await fixture.stateOf(identity.agent_id)).toBe("offline");
      expect(fixture.published.flat()).toContain(identity.agent_id);
      expect(await agents.presence.sweepOffline()).toBe(0);

      fixture.published.length = 0;
      expect(await agents.heartbeats.seen(identity, null, clock.now())).toBe(true);
      await agents.flush();
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
      expect(fixture.published).toEqual([[identity.agent_id]]);
      const processes = await agents.listProcesses(projectId, { state: "online", limit: 10 });
      expect(processes).toMatchObject([{ worker_id: null, agent_id: identity.agent_id }]);
      expect((await agents.countOnline(10)).projects).toEqual([{ slug: `p-${projectId}`, count: 1 }]);
    });

    test("come online by a long-poll upload, not by a probe alone", async () => {
      const { identity } = await fixture.minted("polling");
      await agents.presence.probed(identity, ["bulk"], clock.now());
      expect(await agents.get(projectId, identity.agent_id)).toMatchObject({ state: "unknown", transport: "longpoll" });
      await agents.presence.uploaded(identity, clock.now());
      await agents.flush();
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
      expect((await agents.countByState(projectId)).online).toBeGreaterThanOrEqual(1);
    });

    test("are rejected when another process archived their project, until it is restored", async () => {
      const { identity } = await fixture.minted("archived");
      await fixture.setProjectActive(false);
      await agents.heartbeats.seen(identity, null, clock.now());
      await agents.flush();
      expect(await agents.heartbeats.seen(identity, null, clock.now())).toBe(false);
      expect(await fixture.stateOf(identity.agent_id)).toBe("unknown");
      await fixture.setProjectActive(true);
      expect(await agents.presence.connected(identity, helloOf(), clock.now())).toBe(true);
      expect(await agents.heartbeats.seen(identity, null, clock.now())).toBe(true);
    });

    test.each<[string, (identity: AgentIdentity) => unknown]>([
      ["the restoring", () => agents.forgetProject(projectId)],
      ["a probe", (identity) => agents.presence.probed(identity, [], clock.now())],
    ])("are accepted again by %s after their project was archived", async (how, act) => {
      const { identity } = await fixture.minted(`back by ${how}`);
      await fixture.setProjectActive(false);
      await agents.heartbeats.seen(identity, undefined, clock.now());
      await agents.flush();
      expect(await agents.heartbeats.seen(identity, undefined, clock.now())).toBe(false);
      await fixture.setProjectActive(true);
      await act(identity);
      expect(await agents.heartbeats.seen(identity, undefined, clock.now())).toBe(true);
    });

    test("are recorded as polling at most once an hour, which does not bring them online", async () => {
      const { identity } = await fixture.minted("waits for commands");
      const lastConnect = async () => (await agents.get(projectId, identity.agent_id)).last_connect_at;
      const first = clock.now();
      await agents.presence.polled(identity, first);
      clock.advance(hourMs - 1);
      await agents.presence.polled(identity, clock.now());
      expect(await lastConnect()).toEqual(first);
      clock.advance(1);
      fixture.published.length = 0;
      await agents.presence.polled(identity, clock.now());
      expect(await lastConnect()).toEqual(clock.now());
      expect(fixture.published).toEqual([[identity.agent_id]]);
      expect(await fixture.stateOf(identity.agent_id)).toBe("unknown");
    });

    test("are not revoked by the hygiene sweep while they are seen, connect or poll", async () => {
      const { identity: idle } = await fixture.minted("long idle");
      const contacts: Record<string, (identity: AgentIdentity) => unknown> = {
        seen: (identity) => agents.heartbeats.seen(identity, undefined, clock.now()),
        probes: (identity) => agents.presence.probed(identity, [], clock.now()),
        polls: (identity) => agents.presence.polled(identity, clock.now()),
      };
      const used = await Promise.all(
        Object.keys(contacts).map(async (name) => ({ name, ...(await fixture.minted(`long ago: ${name}`)) })),
      );
      for (const { identity } of used) await agents.presence.uploaded(identity, clock.now());
      await agents.flush();
      clock.advance(31 * dayMs);
      for (const { name, identity } of used) await contacts[name]?.(identity);
      await agents.flush();
      await sweepStale();
      expect(await isListed(idle)).toBe(false);
      for (const { identity } of used) expect(await isListed(identity)).toBe(true);
    });

    test("are touched by what they sent while online, and are not brought back online by it", async () => {
      const { identity } = await fixture.minted("touched");
      const lastSeen = async () =>
        (await agents.list(projectId)).find(({ id }) => id === identity.agent_id)?.last_seen_at;
      const connectedAt = await connect(identity, "w");
      clock.advance(5000);
      agents.heartbeats.touched(identity, clock.now());
      await agents.flush();
      expect(await lastSeen()).toEqual(clock.now());

      // Frames stored while the connection closes are reported afterwards.
      await agents.presence.disconnected(identity, "w", connectedAt, true);
      const leftAt = await lastSeen();
      clock.advance(1000);
      agents.heartbeats.touched(identity, clock.now());
      await agents.flush();
      expect(await fixture.stateOf(identity.agent_id)).toBe("offline");
      expect(await lastSeen()).toEqual(leftAt);
      agents.heartbeats.touched(identity, clock.now());
      await agents.heartbeats.seen(identity, "w", clock.now());
      await agents.flush();
      expect(await fixture.stateOf(identity.agent_id)).toBe("online");
    });

    test("are not revoked as silent when they make contact first", async () => {
      const { identity } = await fixture.minted("back in time");
      clock.advance(31 * dayMs);
      const revocation = { id: identity.agent_id, projectId, now: clock.now(), silentSince: clock.now() };
      await agents.heartbeats.seen(identity, undefined, clock.now());
      await agents.flush();
      expect(await opened.database.write((tx) => tombstone(tx, revocation))).toBeUndefined();
      expect(await isListed(identity)).toBe(true);
    });

    test("are all revoked in one sweep, unless the process stops", async () => {
      const count = 105;
      for (let index = 0; index < count; index += 1) await fixture.minted(`crowd ${index}`);
      clock.advance(31 * dayMs);
      expect(await sweepStale(AbortSignal.abort())).toBe(0);
      expect(await sweepStale()).toBeGreaterThanOrEqual(count);
      expect(await sweepStale()).toBe(0);
    });

    test("are revoked by the hygiene sweep after the stale days, and their ended processes deleted", async () => {
      const { identity } = await fixture.minted("stale");
      await agents.presence.connected(identity, helloOf(), clock.now());
      await agents.presence.workerConnected(identity, helloOf(), clock.now());
      clock.advance(60_000);
      await agents.presence.sweepOffline();
      clock.advance(31 * dayMs);
      const { identity: fresh } = await fixture.minted("fresh");
      expect(await sweepStale()).toBeGreaterThanOrEqual(1);
      expect((await agents.list(projectId)).map(({ id }) => id)).toEqual([fresh.agent_id]);
      expect(await opened.database.read.selectFrom("agent_workers").select("id").execute()).toEqual([]);
      expect(fixture.errors).toEqual([]);
    });
  });
}
