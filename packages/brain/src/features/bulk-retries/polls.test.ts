import { randomUUID } from "node:crypto";
import { createRedactor } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { failTasks } from "../../../test/fixtures/bulk-retry-fixture.ts";
import { agentRow } from "../../../test/rows/agent-rows.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { createMetrics } from "../../platform/metrics.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { createCommands } from "../commands/index.ts";
import { createBulkRetries } from "./index.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const maxInFlight = 8;

/** The parts of one service process for bulk retries, without the periodic checks that cover lost notifications. */
function startProcess(database: Database<Tables>) {
  const audit = { append: async () => {}, refused() {} };
  const commands = createCommands({
    database,
    clock,
    log: silent,
    metrics: createMetrics(),
    labels: { of: () => "shop", whenKnown: (_ids, work) => work() },
    audit,
    redactor: createRedactor(),
    timeoutSeconds: 60,
    redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
    publish() {},
    recheckMs: 3_600_000,
  });
  const bulkRetries = createBulkRetries({
    database,
    clock,
    log: silent,
    audit,
    commands,
    timeoutSeconds: 60,
    scanBatch: 100,
    maxFrameBytes: 1_048_576,
    maxInFlight,
    parentTimeoutSeconds: 900,
  });
  return {
    commands,
    bulkRetries,
    async stop() {
      await bulkRetries.stop();
      await commands.stop();
    },
  };
}
type Process = ReturnType<typeof startProcess>;

for (const dialect of testDialects) {
  describe(`bulk retries for polling agents, without periodic checks on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const projectId = randomUUID();
    const origin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };
    let here: Process;
    /** On SQLite there is only one process. */
    let there: Process;
    let closeThere = async () => {};
    let over = new AbortController();
    beforeAll(async () => {
      await addProject(opened.database, projectId);
      here = startProcess(opened.database);
      there = here;
      await here.commands.start();
      if (dialect === "sqlite") return;
      const database = await opened.openAgain();
      there = startProcess(database);
      await there.commands.start();
      closeThere = async () => {
        await there.stop();
        await database.close();
      };
    });
    afterEach(() => {
      over.abort();
      over = new AbortController();
    });
    afterAll(async () => {
      await closeThere();
      await here.stop();
    });

    async function addAgent(): Promise<string> {
      const row = agentRow({ project_id: projectId, name: randomUUID(), transport: "long_poll" });
      await opened.database.write((tx) => tx.insertInto("agents").values(row).execute());
      return row.id;
    }
    /** A polling agent that answers its commands. Resolves when it waits without having found any. */
    async function polling(agentId: string, { at = here, max = maxInFlight }: { at?: Process; max?: number } = {}) {
      const given: string[] = [];
      const { signal } = over;
      const { promise: waits, resolve: hasPolled } = Promise.withResolvers<void>();
      const asked = { agentId, max, retryContracts: new Set(["rq"]), withResends: true };
      const poll = async () => {
        while (!signal.aborted) {
          const waiting = at.commands.work.wait({ ...asked, waitMs: 60_000, signal });
          const { commands } = await at.commands.claim(asked);
          if (commands.length === 0) {
            hasPolled();
            await waiting;
            continue;
          }
          const ids = commands.map(({ payload }) => (payload.parameters as Parameters).filter.task_ids[0] as string);
          given.push(...ids);
          for (const [index, { id, payload }] of commands.entries()) {
            const result = { results: [{ task_id: ids[index], status: "success" }] };
            const { delivery_claim_token } = payload;
            await at.commands.reports.resulted(agentId, id, { status: "success", result, delivery_claim_token });
          }
        }
      };
      const polled = poll();
      await waits;
      return {
        given,
        async stop() {
          over.abort();
          await polled;
        },
      };
    }
    interface Parameters {
      readonly filter: { readonly task_ids: readonly string[] };
    }
    const requester = { projectId, userId: randomUUID(), origin };
    async function retry(count: number, { at = here, ...more }: { at?: Process; rate_per_minute?: number } = {}) {
      const queue = randomUUID();
      const ids = await failTasks(opened.database, { project_id: projectId, queue, engine: "rq" }, count, queue);
      const { id } = await at.bulkRetries.create(
        { idempotency_key: randomUUID(), filter: { queue }, ...more },
        requester,
      );
      return { id, ids };
    }
    const whenSucceeded = (id: string) =>
      waitFor(async () => (await here.bulkRetries.get(projectId, id)).status === "succeeded");

    test("run to completion: their creation and every result wake the waiting poll", async () => {
      const agentId = await addAgent();
      const { given, stop } = await polling(agentId);
      const { id, ids } = await retry(20);
      await whenSucceeded(id);
      expect(given).toEqual(ids);
      await stop();
    });

    test("wake a poll that waits in another process", async () => {
      const agentId = await addAgent();
      const { given, stop } = await polling(agentId, { at: there });
      const { id, ids } = await retry(20);
      await whenSucceeded(id);
      expect(given).toEqual(ids);
      await stop();
    });

    test("wake a poll when they are resumed", async () => {
      const { id, ids } = await retry(3);
      await here.bulkRetries.pause(id, requester);
      const agentId = await addAgent();
      const { given, stop } = await polling(agentId);
      await here.bulkRetries.resume(id, requester);
      await whenSucceeded(id);
      expect(given).toEqual(ids);
      await stop();
    });

    test("wake a poll whenever their rate allows more", async () => {
      const agentId = await addAgent();
      const { given, stop } = await polling(agentId);
      const { id, ids } = await retry(5, { rate_per_minute: 1200 });
      await whenSucceeded(id);
      expect(given).toEqual(ids);
      await stop();
    });

    test("continue when a poll takes fewer than may be in flight", async () => {
      const agentIds = [await addAgent(), await addAgent()];
      const polls = await Promise.all(agentIds.map((agentId) => polling(agentId, { max: 3 })));
      const { id, ids } = await retry(20);
      await whenSucceeded(id);
      expect(polls.flatMap(({ given }) => given).sort()).toEqual(ids);
      await Promise.all(polls.map(({ stop }) => stop()));
    });
  });
}
