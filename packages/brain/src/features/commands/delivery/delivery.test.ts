import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { commandRow } from "../../../../test/rows/command-rows.ts";
import { createLog } from "../../../platform/log.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";
import { newestCommands } from "../reads.ts";
import { createDelivery } from "./delivery.ts";
import { expireDue } from "./delivery-store.ts";
import { createMoveHandlers } from "./move-handlers.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const rareAgent = "aaaaaaaa-0000-4000-8000-000000000001";
const everything = { projectId, status: null, agentId: null, action: null };
const clock = createFakeClock();
const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

for (const dialect of testDialects) {
  describe(`open commands past their time limit on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let moved: string[] = [];
    let ended: string[] = [];
    const delivery = (database: typeof opened.database = opened.database) =>
      createDelivery({
        database,
        clock,
        log: createLog({ level: "error", json: true }),
        timeoutSeconds: 60,
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
        counted: { moved: (_command, status) => void moved.push(status), late() {} },
        moves: createMoveHandlers(),
        changed() {},
        ended: (commands) => void ended.push(...commands.map(({ id }) => id)),
        waits() {},
      });
    async function add(given: Partial<CommandRow>): Promise<string> {
      const row = commandRow({ project_id: projectId, ...given });
      await opened.database.write((tx) => tx.insertInto("commands").values(row).execute());
      return row.id;
    }
    const never = new AbortController().signal;
    beforeEach(async () => {
      [moved, ended] = [[], []];
      await opened.database.write((tx) => tx.deleteFrom("commands").execute());
    });

    test("that cannot be signed do not throw when their end cannot be written", async () => {
      const write = () => Promise.reject(new Error("the database is unavailable"));
      const id = await add({ status: "dispatched", delivery_claim_token: "t" });
      const claimed = { id, payload: { delivery_claim_token: "t" } };
      await delivery({ ...opened.database, write }).unsigned(claimed, "signing failed");
      expect(ended).toEqual([]);
      await delivery().unsigned(claimed, "signing failed");
      expect(ended).toEqual([id]);
    });

    test("time out once each, and no others do", async () => {
      const due = [await add({ timeout_at: at(0) }), await add({ timeout_at: at(-60), status: "dispatched" })];
      await add({ timeout_at: at(1) });
      await add({ timeout_at: null });
      await add({ timeout_at: at(-1), status: "completed" });
      expect(await delivery().expire(never)).toBe(2);
      expect(moved).toEqual(["timeout", "timeout"]);
      expect(ended.sort()).toEqual(due.sort());
      expect(await delivery().expire(never)).toBe(0);
    });

    test("are timed out by only one of two processes", async () => {
      for (let index = 0; index < 20; index += 1) await add({ timeout_at: at(-1) });
      const other = await opened.openAgain();
      const expired = await Promise.all(
        [opened.database, other].map((database) => database.write((tx) => expireDue(tx, { now: at(0), limit: 100 }))),
      );
      await other.close();
      expect(new Set(expired.flat().map(({ id }) => id)).size).toBe(20);
      expect(expired.flat()).toHaveLength(20);
    });

    test("end in batches, and no batch starts after the process stops", async () => {
      const rows = Array.from({ length: 1001 }, () => commandRow({ project_id: projectId, timeout_at: at(-1) }));
      await opened.database.write(async (tx) => {
        for (let start = 0; start < rows.length; start += 100) {
          await tx
            .insertInto("commands")
            .values(rows.slice(start, start + 100))
            .execute();
        }
      });
      expect(await delivery().expire(AbortSignal.abort())).toBe(0);
      expect(await delivery().expire(never)).toBe(1001);
    });

    test("are listed through an index when they are few among many", async () => {
      const rows = Array.from({ length: 2000 }, (_, index) =>
        commandRow({
          project_id: projectId,
          agent_id: index % 500 === 0 ? rareAgent : null,
          status: index % 500 === 1 ? "failed" : "completed",
          action: index % 500 === 2 ? "retry_task" : "cancel_task",
          issued_at: at(-index),
        }),
      );
      await opened.database.write(async (tx) => {
        for (let start = 0; start < rows.length; start += 100) {
          await tx
            .insertInto("commands")
            .values(rows.slice(start, start + 100))
            .execute();
        }
        if (dialect === "postgres") await sql`ANALYZE commands`.execute(tx);
      });
      const list = (given: object) =>
        newestCommands(opened.database.read, { ...everything, ...given }, { after: null, limit: 50 });
      for (const given of [{ agentId: rareAgent }, { status: "failed" }, { action: "retry_task" }]) {
        expect((await list(given)).rows).toHaveLength(4);
      }
    });

    test.each([
      [{ status: "failed" as const }, "commands_by_status"],
      [{ agentId: rareAgent }, "commands_by_project_agent"],
      [{ action: "retry_task" }, "commands_by_action"],
      [{}, "commands_by_(?:project|age)"],
    ])("listed by %j, they come from an index in list order", async (given, index) => {
      const filter = { ...everything, ...given };
      const plan = await plansOf(opened.database, (db) =>
        newestCommands(db, filter, { after: { issuedAt: at(0), id: projectId }, limit: 5 }),
      );
      expect(plan).toMatch(new RegExp(`${index}\\b`));
      expect(plan).not.toMatch(/Seq Scan|SCAN commands/);
    });
  });
}
