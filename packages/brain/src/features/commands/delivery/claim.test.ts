import { randomUUID } from "node:crypto";
import { createRedactor } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { commandRow } from "../../../../test/rows/command-rows.ts";
import { createLog, type Log } from "../../../platform/log.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";
import { createReports } from "../results/report.ts";
import { cancelPending } from "../store.ts";
import { createClaim } from "./claim.ts";
import { claimPending } from "./claim-store.ts";
import { createMoveHandlers } from "./move-handlers.ts";
import { socketResendRule, winResends } from "./resend-store.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const agentId = "aaaaaaaa-0000-4000-8000-000000000001";
const clock = createFakeClock();
const later = (ms: number) => new Date(clock.now().getTime() + ms);

for (const dialect of testDialects) {
  describe(`a pending command on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const deps = () => ({
      database: opened.database,
      clock,
      log: createLog({ level: "error", json: true }),
      timeoutSeconds: 60,
      redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
      counted: { moved() {}, late() {} },
      moves: createMoveHandlers(),
      changed() {},
      children: () => null,
    });
    async function issue(given: Partial<CommandRow> = {}): Promise<string> {
      const row = commandRow({ project_id: projectId, agent_id: agentId, ...given });
      await opened.database.write((tx) => tx.insertInto("commands").values(row).execute());
      return row.id;
    }
    const rowOf = (id: string) =>
      opened.database.read.selectFrom("commands").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const claim = async () =>
      (await createClaim(deps())({ agentId, max: 10, retryContracts: new Set() })).commands.map(({ id }) => id);
    beforeEach(() => opened.database.write((tx) => tx.deleteFrom("commands").execute()));

    test("can be claimed until its time limit, and then waits for the sweep", async () => {
      const inTime = await issue({ timeout_at: later(1) });
      const over = await issue({ timeout_at: later(0) });
      const endless = await issue({ timeout_at: null });
      expect((await claim()).sort()).toEqual([inTime, endless].sort());
      expect(await rowOf(over)).toMatchObject({ status: "pending", dispatched_at: null, delivery_claim_token: null });
    });

    test("is not claimed when its time limit passes between the read and the claim", async () => {
      const id = await issue({ timeout_at: later(1000) });
      const win = (now: Date) =>
        opened.database.write((tx) =>
          claimPending(tx, { claims: [{ id, token: "t" }], now, timeoutAt: later(60_000) }),
        );
      expect(await win(later(1000))).toEqual([]);
      expect(await win(later(999))).toMatchObject([{ id, status: "dispatched" }]);
    });

    test("that was sent without an ack is sent again by one of two processes", async () => {
      const ids: string[] = [];
      for (let count = 0; count < 20; count += 1) {
        const sent = { dispatched_at: clock.now(), last_sent_at: clock.now(), timeout_at: later(60_000) };
        ids.push(await issue({ status: "dispatched", delivery_claim_token: "t", ...sent }));
      }
      const rule = socketResendRule(later(1), clock.now());
      const other = await opened.openAgain();
      const won = await Promise.all(
        [opened.database, other].map((database) => database.write((tx) => winResends(tx, { ids, rule }))),
      );
      await other.close();
      expect(
        won
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ids.sort());
    });

    test("is cancelled with its agent or its project, and no other command is", async () => {
      const mine = await issue();
      const unassigned = await issue({ agent_id: null });
      const sent = await issue({ status: "dispatched" });
      const foreign = await issue({ project_id: randomUUID(), agent_id: randomUUID() });
      const cancel = (of: { agent_id: string } | { project_id: string }, error: string) =>
        opened.database.write((tx) => cancelPending(tx, { of, error, now: clock.now() }));
      expect(await cancel({ agent_id: agentId }, "one")).toEqual([
        { id: mine, project_id: projectId, action: "cancel_task", status: "cancelled", idempotency_key: null },
      ]);
      expect(await cancel({ project_id: projectId }, "two")).toHaveLength(1);
      const ended = { status: "cancelled", completed_at: clock.now() };
      expect(await rowOf(mine)).toMatchObject({ ...ended, error: "one" });
      expect(await rowOf(unassigned)).toMatchObject({ ...ended, error: "two" });
      expect((await rowOf(sent)).status).toBe("dispatched");
      expect((await rowOf(foreign)).status).toBe("pending");
    });
  });

  describe(`the result of a command on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    const reportsWith = (log: Log = createLog({ level: "error", json: true })) =>
      createReports({
        database: opened.database,
        clock,
        log,
        timeoutSeconds: 60,
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
        counted: { moved() {}, late() {} },
        redactor: createRedactor(),
        ended() {},
        late() {},
      });

    async function reported(payload: Record<string, unknown>) {
      const row = commandRow({ project_id: projectId, agent_id: agentId, status: "dispatched" });
      await opened.database.write((tx) => tx.insertInto("commands").values(row).execute());
      await reportsWith().resulted(agentId, row.id, payload);
      const kept = await opened.database.read
        .selectFrom("commands")
        .select(["status", "result", "error"])
        .where("id", "=", row.id)
        .executeTakeFirstOrThrow();
      return { ...kept, result: kept.result === null ? null : JSON.parse(kept.result) };
    }

    test.each([
      [{ purged: 3 }, { purged: 3 }],
      [[1, "x"], {}],
      ["text", {}],
      [7, {}],
      [null, {}],
      [undefined, {}],
    ])("%j is stored as %j", async (result, stored) => {
      expect(await reported({ status: "success", result, error: "none" })).toEqual({
        status: "completed",
        result: stored,
        error: null,
      });
    });

    test("is logged once a minute per agent with a count when no command waits for it", async () => {
      const lines: unknown[] = [];
      const log: Log = {
        ...createLog({ level: "error", json: true }),
        info: (event, { agent_id, results } = {}) => void lines.push([event, agent_id, results]),
      };
      const reports = reportsWith(log);
      const flood = async (agent: string, count: number) => {
        for (let n = 0; n < count; n += 1) await reports.resulted(agent, randomUUID(), { status: "success" });
      };
      const other = randomUUID();
      await flood(agentId, 30);
      await flood(other, 2);
      clock.advance(60_000);
      await flood(agentId, 1);
      expect(lines).toEqual([
        ["commands.late_result", agentId, 1],
        ["commands.late_result", other, 1],
        ["commands.late_result", agentId, 30],
      ]);
    });

    test("is stored with secrets in engine texts redacted, and with every id", async () => {
      const secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
      const long = `${secret}${"x".repeat(600)}`;
      const result = {
        task_id: "pia@example.org",
        exception: `with ${secret}`,
        results: [{ task_id: "pia@example.org", error: secret }],
        entries: [{ error_excerpt: secret }, { error_excerpt: long }, { error_excerpt: 7 }],
      };
      expect((await reported({ status: "success", result })).result).toEqual({
        task_id: "pia@example.org",
        exception: "[REDACTED]",
        results: [{ task_id: "pia@example.org", error: "[REDACTED]" }],
        entries: [{ error_excerpt: "[REDACTED]" }, { error_excerpt: "x".repeat(512) }, { error_excerpt: 7 }],
      });
      const deep = Array.from({ length: 70 }).reduce<object>((inner) => ({ inner }), { error: secret });
      expect(JSON.stringify(await reported({ status: "success", result: deep }))).not.toContain(secret);
    });

    test.each([
      [{ status: "failed", error: "redis://svc:hunter2@host refused" }, "[REDACTED]"],
      [{ status: "failed", error: "x".repeat(9000) }, "x".repeat(8192)],
      [{ status: "failed" }, "the agent reported no reason"],
      [{ status: "failed", error: 7 }, "the agent reported no reason"],
      [{ status: "done", result: { purged: 3 } }, "the agent's result could not be read"],
    ])("without success stores the reason", async (payload, error) => {
      expect(await reported(payload)).toEqual({ status: "failed", result: null, error });
    });
  });
}
