import { randomUUID } from "node:crypto";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import type { Log } from "../../platform/log.ts";
import { createWorkSignal } from "./work-signal.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
/** Longer than the common look at the database takes to come round. */
const waitMs = 900;

for (const dialect of testDialects) {
  describe(`a poll that waits for work on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    /** A command that nobody was told of. */
    async function issue(agentId: string, action: string, parameters: Record<string, unknown>): Promise<void> {
      await opened.database.write((tx) =>
        tx
          .insertInto("commands")
          .values({
            id: randomUUID(),
            project_id: randomUUID(),
            issued_by: null,
            agent_id: agentId,
            action,
            target_type: "task",
            target_id: null,
            payload: JSON.stringify(parameters),
            idempotency_key: null,
            request_digest: null,
            status: "pending",
            result: null,
            error: null,
            delivery_claim_token: null,
            issued_at: new Date(),
            dispatched_at: null,
            acked_at: null,
            last_sent_at: null,
            completed_at: null,
            timeout_at: null,
            source_ip: null,
          })
          .execute(),
      );
    }

    async function outcome(given: {
      action: string;
      parameters: Record<string, unknown>;
      contracts?: string[];
      max?: number;
    }): Promise<string> {
      const { action, parameters, contracts = [], max = 1 } = given;
      const agentId = randomUUID();
      await issue(agentId, action, parameters);
      const work = createWorkSignal({ database: opened.database, log: silent });
      const { signal } = new AbortController();
      const news = await work.wait({ agentId, max, retryContracts: new Set(contracts), waitMs, signal });
      await work.stop();
      return news;
    }

    test.each([
      ["cancel_task", { engine: "bullmq" }, []],
      ["retry_task", { engine: "bullmq" }, ["celery", "bullmq"]],
      ["bulk_retry", { filter: { engine: "bullmq" } }, ["bullmq"]],
    ])("is woken by a %s with %o that its contracts allow", async (action, parameters, contracts) => {
      expect(await outcome({ action, parameters, contracts })).toBe("look");
    });

    test.each([
      ["retry_task", { engine: "bullmq" }, []],
      ["retry_task", { engine: "bullmq" }, ["celery"]],
      ["retry_task", {}, ["bullmq"]],
      ["retry_task", { engine: 5 }, ["5"]],
      ["bulk_retry", { filter: { engine: "bullmq" } }, ["celery"]],
      ["bulk_retry", { filter: null }, ["bullmq"]],
    ])("sleeps on beside a %s with %o that it may not be given", async (action, parameters, contracts) => {
      expect(await outcome({ action, parameters, contracts })).toBe("over");
    });

    test("sleeps on when it takes nothing", async () => {
      expect(await outcome({ action: "cancel_task", parameters: {}, max: 0 })).toBe("over");
    });

    test("leaves what it may not be given to another poll of its agent", async () => {
      const agentId = randomUUID();
      const work = createWorkSignal({ database: opened.database, log: silent });
      const { signal } = new AbortController();
      const waits = ["celery", "bullmq"].map((engine) =>
        work.wait({ agentId, max: 1, retryContracts: new Set([engine]), waitMs, signal }),
      );
      await issue(agentId, "retry_task", { engine: "bullmq" });
      expect(await Promise.all(waits)).toEqual(["over", "look"]);
      await work.stop();
    });
  });
}
