import { randomUUID } from "node:crypto";
import { createRedactor } from "@svc/protocol";
import { createFakeClock, waitFor } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../platform/log.ts";
import { createMetrics } from "../../../platform/metrics.ts";
import { type Commands, createCommands, type NewCommand } from "../index.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const agentId = "aaaaaaaa-0000-4000-8000-000000000001";
const clock = createFakeClock();

for (const dialect of testDialects) {
  describe(`commands that the service issues itself on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const published: string[] = [];
    let commands: Commands;
    const open = (database = opened.database) =>
      createCommands({
        database,
        clock,
        log: createLog({ level: "error", json: true }),
        metrics: createMetrics(),
        labels: { of: () => "shop", whenKnown: (_ids, work) => work() },
        timeoutSeconds: 60,
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
        audit: { refused() {}, async append() {} },
        redactor: createRedactor(),
        publish: ({ ids }) => void published.push(...ids),
      });
    beforeEach(async () => {
      published.length = 0;
      commands = open();
      await commands.start();
    });
    afterEach(() => commands.stop());

    async function issue(given: Partial<NewCommand> = {}) {
      const command = {
        projectId,
        agentId,
        action: "reconcile_task",
        target: { type: "task", id: "task-1" },
        parameters: { engine: "bullmq", task_id: "task-1" },
        ...given,
      } as const;
      const issued = await opened.database.write((tx) => commands.issueIn(tx, [command], new Set([agentId])));
      return issued.commands[0];
    }
    const report = async (id: string, payload: Record<string, unknown>) => {
      await commands.claim({ agentId, max: 10, retryContracts: new Set() });
      await commands.reports.resulted(agentId, id, payload);
    };
    const never = new AbortController().signal;

    test("wait for their agent until they time out", async () => {
      const row = await issue();
      expect(row).toMatchObject({
        status: "pending",
        issued_by: null,
        timeout_at: new Date(clock.now().getTime() + 60_000),
      });
      commands.offer(row!);
      expect(published).toEqual([row!.id]);
      const claimed = await commands.claim({ agentId, max: 10, retryContracts: new Set() });
      expect(claimed.commands[0]).toMatchObject({
        id: row!.id,
        payload: { target: { type: "task", id: "task-1", engine: "bullmq" } },
      });
    });

    test("are issued once per idempotency key of a project", async () => {
      const idempotencyKey = `reconcile:${randomUUID()}`;
      expect(await issue({ idempotencyKey })).toBeDefined();
      expect(await issue({ idempotencyKey })).toBeUndefined();
      expect(await issue({ idempotencyKey, projectId: randomUUID() })).toBeDefined();
    });

    test("wake the caller that waits for their result", async () => {
      const row = await issue();
      const waiting = commands.awaitResult(row!.id, { waitMs: 30_000, signal: never });
      await report(row!.id, { status: "success", result: { engine_state: "success" } });
      const outcome = await waiting;
      expect(outcome).toMatchObject({ status: "completed", error: null });
      expect(JSON.parse(outcome?.result ?? "")).toEqual({ engine_state: "success" });
      expect(await commands.awaitResult(row!.id, { waitMs: 30_000, signal: never })).toEqual(outcome);
    });

    test("have no result when the wait ends or is aborted", async () => {
      const row = await issue();
      expect(await commands.awaitResult(row!.id, { waitMs: 1, signal: never })).toBeNull();
      const givenUp = new AbortController();
      const waiting = commands.awaitResult(row!.id, { waitMs: 30_000, signal: givenUp.signal });
      givenUp.abort();
      expect(await waiting).toBeNull();
    });

    test("end a wait in another process, with and without a notification", async () => {
      const database = dialect === "postgres" ? await opened.openAgain() : opened.database;
      const [listening, deaf] = [open(database), open(database)];
      await listening.start();
      const notified = Promise.withResolvers<string>();
      listening.onEnded(({ id }) => notified.resolve(id));
      const row = await issue();
      const waits = [listening, deaf].map((each) => each.awaitResult(row!.id, { waitMs: 30_000, signal: never }));
      await report(row!.id, { status: "failed", error: "no" });
      expect(await Promise.all(waits)).toMatchObject([{ error: "no" }, { error: "no" }]);
      // The periodic check may find the result before the notification arrives.
      if (dialect === "postgres") expect(await notified.promise).toBe(row!.id);
      await Promise.all([listening.stop(), deaf.stop()]);
      if (dialect === "postgres") await database.close();
    });

    test("are announced in every process when they are pending again, since another connection may take them", async () => {
      const database = dialect === "postgres" ? await opened.openAgain() : opened.database;
      const other = open(database);
      await other.start();
      const announced: [string, string | null][] = [];
      commands.work.onWork((id) => void announced.push(["here", id]));
      other.work.onWork((id) => void announced.push(["there", id]));
      await issue();
      const [claimed] = (await commands.claim({ agentId, max: 10, retryContracts: new Set() })).commands;
      await commands.unsent(claimed!);
      const where = dialect === "postgres" ? ["here", "there"] : ["here"];
      await waitFor(() => announced.length === where.length);
      expect(announced).toEqual(where.map((place) => [place, agentId]));
      const once = await issue({ action: "retry_task" });
      const more = await commands.claim({ agentId, max: 10, retryContracts: new Set(["bullmq"]) });
      for (const command of more.commands) if (command.id === once!.id) await commands.unsent(command);
      expect(announced).toHaveLength(where.length);
      await other.stop();
      if (dialect === "postgres") await database.close();
    });

    test("pass their result to its handler inside the transaction, also when it is late", async () => {
      const seen: unknown[] = [];
      commands.reports.onResult("reconcile_task", async (tx, { command, status, isLate, result }) => {
        const { count } = await tx
          .selectFrom("commands")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("id", "=", command.id)
          .where("status", "=", "completed")
          .executeTakeFirstOrThrow();
        seen.push([status, isLate, result, Number(count)]);
      });
      const row = await issue();
      await report(row!.id, { status: "success", result: { a: 1 } });
      await report(row!.id, { status: "failed", error: "no" });
      await commands.reports.resulted(randomUUID(), row!.id, { status: "success" });
      expect(seen).toEqual([
        ["completed", false, { a: 1 }, 1],
        ["failed", true, {}, 1],
      ]);
    });
  });
}
