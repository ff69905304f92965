import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { connectRaw, type RawAgent } from "@svc/testkit/raw-agent";
import { describe, expect, test } from "vitest";
import {
  answer,
  answering,
  childrenGiven,
  connectEligible,
  eligibleHello,
  failTasks,
  whenRequest,
} from "../fixtures/bulk-retry-fixture.ts";

const children = 60;
const kills = 2;

for (const dialect of testDialects) {
  test(`a bulk retry survives kills of the service: no child is sent twice and none is lost, on ${dialect}`, async () => {
    const home = await mkdtemp(join(tmpdir(), "svc-bulk-kill-"));
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    // Commands in flight at a kill time out soon.
    const env = {
      SVC_COMMAND_TIMEOUT_SECONDS: "2",
      SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: "1",
      SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: "1",
    };
    let running: BrainProcess | undefined;
    try {
      const port = await freePort();
      const prepared = await startTestBrain({ home, databaseUrl, env: { ...env, SVC_COMMAND_TIMEOUT_SECONDS: "60" } });
      const { agentId, ...minted } = await prepared.mintAgent();
      const credentials = { url: `http://127.0.0.1:${port}`, agentId, ...minted };
      await failTasks(prepared.running.brain.database, { project_id: prepared.project.id }, children);
      const path = `/projects/${prepared.project.slug}/bulk-retry-requests`;
      const { body: made } = await prepared.as.operator.post(path, { idempotency_key: randomUUID(), filter: {} });
      expect(made.counts.pending).toBe(children);
      await prepared.stop();

      const sent: { taskId: string; commandId: string }[] = [];
      const keep = (agent: RawAgent) =>
        sent.push(...childrenGiven(agent).map(({ taskId, id }) => ({ taskId, commandId: id })));
      for (let round = 0; round < kills; round += 1) {
        running = await startBrainProcess({ home, databaseUrl, port, env });
        const agent = await connectRaw(credentials, { hello: eligibleHello() });
        // It dies before, between and after results, so some children of each round stay without an answer.
        let seen = 0;
        const answers = answering(agent, () => {
          seen += 1;
          return seen % 7 === 0 ? null : {};
        });
        await waitFor(() => childrenGiven(agent).length >= 9 + round, {
          everyMs: 1,
          that: "children",
        });
        await running.kill();
        await agent.closed;
        answers.stop();
        keep(agent);
      }
      running = await startBrainProcess({ home, databaseUrl, port, env });
      const agent = await connectRaw(credentials, { hello: eligibleHello() });
      answering(agent);
      const database = await openDatabaseAt(databaseUrl);
      const row = await waitFor(
        () =>
          database.read
            .selectFrom("bulk_retry_requests")
            .selectAll()
            .where("id", "=", made.id)
            .where("finished_at", "is not", null)
            .executeTakeFirst(),
        { that: "the end of the bulk retry" },
      );
      await agent.close();
      keep(agent);

      expect(new Set(sent.map(({ taskId }) => taskId)).size).toBe(sent.length);
      expect(row).toMatchObject({ child_count: children, pending_count: 0, claimed_count: 0, failed_count: 0 });
      expect(row.succeeded_count + row.unknown_count).toBe(children);
      // Each child was claimed once and has exactly one command.
      const commands = await database.read.selectFrom("commands").select(["id", "idempotency_key"]).execute();
      expect(commands).toHaveLength(children);
      expect(new Set(commands.map(({ idempotency_key }) => idempotency_key)).size).toBe(children);
      const stored = await database.read.selectFrom("bulk_retry_children").selectAll().execute();
      const count = (outcome: string) => stored.filter((child) => child.outcome === outcome).length;
      expect([count("succeeded"), count("unknown")]).toEqual([row.succeeded_count, row.unknown_count]);
      // A child that no agent received can only be unknown.
      const wasSent = new Set(sent.map(({ taskId }) => taskId));
      expect(stored.filter(({ task_id, outcome }) => outcome === "succeeded" && !wasSent.has(task_id))).toEqual([]);
      await database.close();
    } finally {
      await running?.kill();
      await drop();
      await rm(home, { recursive: true, force: true });
    }
  });
}

describe.runIf(testDialects.includes("postgres"))("a bulk retry with two brain processes on one PostgreSQL", () => {
  test("is run by both coordinators and sends each child once, within its limit", async () => {
    const here = await startTestBrain({ dialect: "postgres", env: { SVC_BULK_RETRY_SCAN_SECONDS: "0.1" } });
    const there = await startBrainProcess({
      home: here.home,
      databaseUrl: here.databaseUrl,
      port: await freePort(),
      env: { SVC_BULK_RETRY_SCAN_SECONDS: "0.1" },
    });
    try {
      const { agent: one, minted } = await connectEligible(here, { worker_id: "one" });
      const two = await connectRaw({ ...minted, url: there.url }, { hello: eligibleHello({ worker_id: "two" }) });
      const { agent: third } = await connectEligible({ url: there.url, mintAgent: here.mintAgent });
      const agents = [one, two, third];
      const ids = await failTasks(here.running.brain.database, { project_id: here.project.id }, 120);
      let inFlight = 0;
      let most = 0;
      const given = new Set<string>();
      const answerNext = (agent: RawAgent) => () => {
        for (const child of childrenGiven(agent)) {
          if (given.has(child.id)) continue;
          given.add(child.id);
          inFlight += 1;
          most = Math.max(most, inFlight);
          setImmediate(() => {
            inFlight -= 1;
            answer(agent, child);
          });
        }
      };
      for (const agent of agents) agent.socket.on("message", answerNext(agent));
      const path = `/projects/${here.project.slug}/bulk-retry-requests`;
      const { body } = await here.as.operator.post(path, { idempotency_key: randomUUID(), filter: {} });
      for (const agent of agents) answerNext(agent)();
      await whenRequest(here.as.operator, `${path}/${body.id}`, (seen) => seen.status === "succeeded");
      const sent = agents.flatMap((agent) => childrenGiven(agent).map(({ taskId }) => taskId));
      expect(sent.sort()).toEqual(ids);
      expect(most).toBeLessThanOrEqual(8);
      for (const agent of agents) await agent.close();
    } finally {
      await there.kill();
      await here.stop();
    }
  });
});
