import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { commandRow } from "../../../../test/rows/command-rows.ts";
import type { Log } from "../../../platform/log.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";
import { WorkSignal } from "./work-signal.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
/** Longer than any test: polls end because they are woken or stopped. */
const waitMs = 600_000;

for (const dialect of testDialects) {
  describe(`a poll that waits for work on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    const clock = createFakeClock();
    const open = () =>
      new WorkSignal({
        database: opened.database,
        clock,
        log: silent,
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
        recheckMs: 20,
      });

    /** A command without a notification. */
    const issue = (row: Partial<CommandRow>) =>
      opened.database.write((tx) =>
        tx
          .insertInto("commands")
          .values(commandRow({ project_id: randomUUID(), ...row }))
          .execute(),
      );

    /** How the wait of a poll ends when the same re-check wakes another poll, whose agent can take its command. */
    async function outcome(
      row: Partial<CommandRow>,
      {
        contracts = [],
        resubmits = [],
        max = 1,
        withResends = true,
      }: { contracts?: string[]; resubmits?: string[]; max?: number; withResends?: boolean } = {},
    ): Promise<string> {
      const agentId = randomUUID();
      const otherId = randomUUID();
      await issue({ agent_id: agentId, ...row });
      await issue({ agent_id: otherId });
      const work = open();
      const { signal } = new AbortController();
      const end = work.wait({
        agentId,
        max,
        retryContracts: new Set(contracts),
        resubmits: new Set(resubmits),
        withResends,
        waitMs,
        signal,
      });
      await work.wait({ agentId: otherId, max: 1, retryContracts: new Set(), waitMs, signal });
      await work.stop();
      return end;
    }
    const ofAction = (action: string, parameters: Record<string, unknown>) => ({
      action,
      payload: JSON.stringify(parameters),
    });

    test.each([
      ["cancel_task", { engine: "bullmq" }, []],
      ["retry_task", { engine: "bullmq" }, ["celery", "bullmq"]],
      ["bulk_retry", { filter: { engine: "bullmq" } }, ["bullmq"]],
    ])("is woken by a %s with %o that its contracts allow", async (action, parameters, contracts) => {
      expect(await outcome(ofAction(action, parameters), { contracts })).toBe("work");
    });

    test.each([
      ["retry_task", { engine: "bullmq" }, []],
      ["retry_task", { engine: "bullmq" }, ["celery"]],
      ["retry_task", {}, ["bullmq"]],
      ["retry_task", { engine: 5 }, ["5"]],
      ["bulk_retry", { filter: { engine: "bullmq" } }, ["celery"]],
      ["bulk_retry", { filter: null }, ["bullmq"]],
    ])("keeps waiting when a %s with %o is not allowed", async (action, parameters, contracts) => {
      expect(await outcome(ofAction(action, parameters), { contracts })).toBe("over");
    });

    test.each([
      ["is woken by", "retry_task", { engine: "bullmq" }, ["bullmq"], "work"],
      ["keeps waiting for", "retry_task", { engine: "bullmq" }, ["celery"], "over"],
      ["keeps waiting for", "bulk_retry", { filter: { engine: "bullmq" } }, ["bullmq"], "over"],
    ])("%s a %s with %o when it resubmits only %j", async (_does, action, parameters, resubmits, end) => {
      expect(await outcome(ofAction(action, parameters), { resubmits })).toBe(end);
    });

    test("keeps waiting when it takes no commands", async () => {
      expect(await outcome({}, { max: 0 })).toBe("over");
    });

    test("keeps waiting when the command has timed out", async () => {
      expect(await outcome({ timeout_at: clock.now() })).toBe("over");
      expect(await outcome({ timeout_at: new Date(clock.now().getTime() + 1) })).toBe("work");
    });

    const sentAgo = (seconds: number): Partial<CommandRow> => {
      const at = new Date(clock.now().getTime() - seconds * 1000);
      return {
        status: "dispatched",
        dispatched_at: at,
        last_sent_at: at,
        timeout_at: new Date(clock.now().getTime() + 1),
        delivery_claim_token: "t",
      };
    };

    test("is woken by a sent command that is due for a resend, and by no other", async () => {
      expect(await outcome(sentAgo(10))).toBe("work");
      expect(await outcome(sentAgo(9))).toBe("over");
      expect(await outcome(sentAgo(10), { withResends: false })).toBe("over");
    });

    test("is logged only once while the database is unavailable", async () => {
      const warnings: unknown[] = [];
      const fourReads = Promise.withResolvers<void>();
      let reads = 0;
      const read = {
        selectFrom() {
          reads += 1;
          if (reads === 4) fourReads.resolve();
          throw new Error("the database is unavailable");
        },
      };
      const work = new WorkSignal({
        database: { ...opened.database, read: read as never },
        clock,
        log: { ...silent, warn: (event, about) => void warnings.push([event, about]) },
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
      });
      const { signal } = new AbortController();
      const waiting = work.wait({ agentId: randomUUID(), max: 1, retryContracts: new Set(), waitMs: 30_000, signal });
      await fourReads.promise;
      await work.stop();
      expect(await waiting).toBe("over");
      expect(warnings).toEqual([["commands.recheck_failed", { times: 1, message: "the database is unavailable" }]]);
    });

    test("is woken for the children of bulk retries within their allowance", async () => {
      const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
      const kind = { action: "bulk_retry", engine: "bullmq", pool: "project bullmq", allowance: 3 };
      const work = new WorkSignal({
        database: opened.database,
        clock,
        log: silent,
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
        children: () => ({
          take: async () => [],
          waitingFor: async (agentIds) => [...agentIds].reverse().map((agentId) => ({ ...kind, agentId })),
        }),
        recheckMs: 3_600_000,
      });
      const { signal } = new AbortController();
      const wait = (agentId: string, engine = "bullmq", max = 2) =>
        work.wait({ agentId, max, retryContracts: new Set([engine]), waitMs, signal });
      const waits = [wait(first, "celery"), wait(first), wait(second, "bullmq", 0), wait(second), wait(third)];
      work.announceChildren();
      await Promise.all([waits[1], waits[3]]);
      await work.stop();
      expect(await Promise.all(waits)).toEqual(["over", "work", "over", "work", "over"]);
    });

    test("leaves commands it cannot take to another poll of its agent", async () => {
      const agentId = randomUUID();
      const work = open();
      const { signal } = new AbortController();
      const waits = ["celery", "bullmq"].map((engine) =>
        work.wait({ agentId, max: 1, retryContracts: new Set([engine]), waitMs, signal }),
      );
      await issue({ agent_id: agentId, ...ofAction("retry_task", { engine: "bullmq" }) });
      await waits[1];
      await work.stop();
      expect(await Promise.all(waits)).toEqual(["over", "work"]);
    });
  });
}
