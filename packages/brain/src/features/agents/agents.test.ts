import { tokenDigest, tokenLabels } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AgentsFixture,
  agentMasters,
  helloOf,
  projectId,
  startAgents,
} from "../../../test/fixtures/agents-fixture.ts";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { ownOrigin } from "../audit/index.ts";
import { Heartbeats } from "./presence/heartbeats.ts";

for (const dialect of testDialects) {
  describe(`agents on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let fixture: AgentsFixture;
    let agents: AgentsFixture["agents"];
    let clock: AgentsFixture["clock"];
    const minted = (name: string) => fixture.minted(name);
    beforeAll(async () => {
      fixture = await startAgents(opened.database);
      ({ agents, clock } = fixture);
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
      expect(row.token_hash).toBe(tokenDigest(agentMasters.current, tokenLabels.agentToken, token));
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

    test("have a name that is unique in the project, and a refused mint leaves nothing behind", async () => {
      await minted("twice");
      const before = (await opened.database.read.selectFrom("audit_log").select("id").execute()).length;
      await expect(minted("twice")).rejects.toMatchObject({ code: "conflict", details: { reason: "name_in_use" } });
      expect(await opened.database.read.selectFrom("audit_log").select("id").execute()).toHaveLength(before);
    });

    test("are recognised by their token under the current and a previous master, and by nothing else", async () => {
      const { identity, token } = await minted("known");
      expect(await agents.identities.authenticate(token)).toEqual(identity);
      expect(await agents.identities.authenticate(token)).toEqual(identity);
      const rotated = fixture.agentsOn(opened.database, createKeyring("n".repeat(40), [agentMasters.current]));
      expect(await rotated.identities.authenticate(token)).toEqual(identity);
      expect(await agents.identities.authenticate(`${token}x`)).toBeNull();
      expect(await agents.identities.authenticate("")).toBeNull();
      expect(await agents.identities.authenticate("x".repeat(10_000))).toBeNull();
    });

    test("keep their newest samples, as sent", async () => {
      const { identity } = await minted("sampled");
      const at = clock.now().getTime();
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          agents.recordSample(identity, new Date(at + index), { index, text: "a\0\ud800" }),
        ),
      );
      const history = await agents.statusHistory(projectId, identity.agent_id);
      expect(history.map(({ payload }) => payload.index)).toEqual([7, 6, 5, 4, 3]);
      expect(history[0]?.payload.text).toBe("a\ufffd\ufffd");
      expect(history[0]?.captured_at).toEqual(new Date(at + 7));
    });

    test("share the next transaction for samples that follow a write", async () => {
      const { identity } = await minted("gathered");
      let written = 0;
      const heartbeats = new Heartbeats({
        database: {
          write(work) {
            written += 1;
            return opened.database.write(work);
          },
        },
        samplesPerAgent: 0,
        onReturned() {},
        onError() {},
      });
      const record = () => heartbeats.recordSample(identity, clock.now(), {});
      await record();
      expect(written).toBe(1);
      const waiting = [record(), record(), record()];
      await heartbeats.flush();
      await Promise.all(waiting);
      expect(written).toBe(2);
      await heartbeats.stop();
    });

    test("keep only the counters of a very long sample", async () => {
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
      const { identity } = await minted("neighbour");
      const unknown = { ...identity, agent_id: "11111111-2222-4333-8444-ffffffffffff" };
      // The first sample is written at once, so that the next two share a batch.
      const outcomes = await Promise.allSettled(
        [identity, unknown, identity].map((sender, index) => agents.recordSample(sender, clock.now(), { index })),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      const history = await agents.statusHistory(projectId, identity.agent_id);
      expect(history.map(({ payload }) => payload.index)).toEqual([2, 0]);
    });

    test("are revoked permanently: token void everywhere, name free, waiting commands cancelled", async () => {
      const { identity, token } = await minted("revoked");
      const again = await opened.openAgain();
      const elsewhere = fixture.agentsOn(again);
      await elsewhere.start();
      const revoked: string[] = [];
      const revokedElsewhere = Promise.withResolvers<string>();
      agents.onRevoked(({ agentId }) => void revoked.push(agentId));
      elsewhere.onRevoked(({ agentId }) => revokedElsewhere.resolve(agentId));
      await agents.identities.authenticate(token);
      await elsewhere.identities.authenticate(token);
      await opened.database.write((tx) =>
        tx
          .insertInto("commands")
          .values(
            ["pending", "dispatched"].map((status, index) =>
              commandRow({
                id: `00000000-0000-4000-8000-00000000000${index}`,
                project_id: projectId,
                agent_id: identity.agent_id,
                action: "retry_task",
                status,
              }),
            ),
          )
          .execute(),
      );

      await agents.revoke({ projectId, id: identity.agent_id.toUpperCase(), origin: ownOrigin });

      expect(revoked).toContain(identity.agent_id);
      if (dialect === "postgres") expect(await revokedElsewhere.promise).toBe(identity.agent_id);
      expect(await agents.identities.authenticate(token)).toBeNull();
      if (dialect === "postgres") expect(await elsewhere.identities.authenticate(token)).toBeNull();
      expect(await agents.identities.isStillAdmitted(identity)).toBe(false);
      expect(await agents.presence.connected(identity, helloOf(), clock.now())).toBe(false);
      await agents.heartbeats.seen(identity, null, clock.now());
      await agents.flush();
      expect(await agents.heartbeats.seen(identity, null, clock.now())).toBe(false);
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
      expect(fixture.cancelled).toEqual(["retry_task"]);
      await expect(agents.revoke({ projectId, id: identity.agent_id, origin: ownOrigin })).rejects.toMatchObject({
        code: "not_found",
      });
      await elsewhere.stop();
      await again.close();
    });
  });
}
