import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { bulkRetryRow } from "../../../../test/rows/bulk-retry-rows.ts";
import { insertTasks } from "../../../../test/rows/task-rows.ts";
import type { AuditEntry } from "../../audit/index.ts";
import { readEffectiveRequest } from "../planning/effective-request.ts";
import type { BulkRetryBody } from "../schemas.ts";
import { findRequestById } from "../store.ts";
import { sealStep } from "./seal-step.ts";

const clock = createFakeClock();
const startMs = clock.now().getTime();

for (const dialect of testDialects) {
  describe(`the search of a bulk retry on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let projectId: string;
    let entries: AuditEntry[];
    const audit = {
      append: async (_tx: unknown, entry: AuditEntry | readonly AuditEntry[]) => void entries.push(entry as AuditEntry),
    };
    beforeEach(async () => {
      projectId = await addProject(opened.database, randomUUID());
      entries = [];
    });

    const deps = () => ({
      database: opened.database,
      clock,
      audit,
      maxFrameBytes: 1_048_576,
      parentTimeoutSeconds: 60,
    });
    /** Failed tasks; every other one belongs to customer 42. */
    const failed = (count: number, more: { state?: string; receivedMs?: number } = {}) =>
      insertTasks(
        opened.database,
        Array.from({ length: count }, (_, index) => ({
          project_id: projectId,
          task_id: `task-${String(index).padStart(4, "0")}`,
          state: more.state ?? "failure",
          args: JSON.stringify([{ customer: 42 + (index % 2) }]),
          received_at: new Date((more.receivedMs ?? startMs) - index),
        })),
      );
    async function sealing(body: Pick<BulkRetryBody, "filter" | "max">): Promise<string> {
      const { text } = readEffectiveRequest({ idempotency_key: "key", ...body });
      const none = { child_count: 0, pending_count: 0, ranges: "[]", plan_digest: null, sealed_at: null };
      const row = bulkRetryRow({ project_id: projectId, control_state: "sealing", ...none, created_at: clock.now() });
      await opened.database.write(async (tx) => {
        await tx.insertInto("bulk_retry_requests").values(row).execute();
        const stored = { request_id: row.id, effective_request: text };
        await tx.insertInto("bulk_retry_effective_requests").values(stored).execute();
      });
      return row.id;
    }
    const request = async (id: string) => (await findRequestById(opened.database.read, id))!;
    async function taskIdsOf(id: string): Promise<string[]> {
      const children = opened.database.read
        .selectFrom("bulk_retry_children")
        .select("task_id")
        .where("parent_id", "=", id);
      return (await children.orderBy("ordinal").execute()).map(({ task_id }) => task_id);
    }
    const matchesLeft = () => opened.database.read.selectFrom("bulk_retry_matches").selectAll().execute();

    test("finds every match in steps, each stored, and seals them in order", async () => {
      await failed(900);
      const id = await sealing({ filter: { q: "args.customer:42" } });
      expect(await sealStep(deps(), id)).toBe(true);
      const first = await request(id);
      expect(first).toMatchObject({ control_state: "sealing", child_count: 0, sealed_at: null });
      expect(first.found_count).toBeGreaterThan(0);
      expect(first.reached_at).not.toBeNull();
      for (let steps = 0; (await request(id)).control_state === "sealing"; steps += 1) {
        expect(steps).toBeLessThan(50);
        // Two processes run the same step, and only one of them stores its matches.
        await Promise.all([sealStep(deps(), id), sealStep(deps(), id)]);
      }
      const sealed = await request(id);
      expect(sealed).toMatchObject({
        control_state: "running",
        child_count: 450,
        pending_count: 450,
        found_count: 450,
      });
      expect(sealed.plan_digest).toMatch(/^[0-9a-f]{64}$/);
      const expected = Array.from({ length: 450 }, (_, index) => `task-${String(index * 2).padStart(4, "0")}`);
      expect(await taskIdsOf(id)).toEqual(expected);
      expect(await matchesLeft()).toEqual([]);
      expect(entries.map(({ action }) => action)).toEqual(["bulk_retry_request.sealed"]);
      expect(await sealStep(deps(), id)).toBe(false);
    });

    test("refuses more matches than max, and seals exactly max", async () => {
      await failed(20);
      const full = await sealing({ filter: { q: "args.customer:42" }, max: 9 });
      await sealStep(deps(), full);
      expect(await request(full)).toMatchObject({
        control_state: "refused",
        blocked_reason: "more than 9 tasks match",
        child_count: 0,
      });
      expect((await request(full)).finished_at).not.toBeNull();
      expect(await taskIdsOf(full)).toEqual([]);
      expect(await matchesLeft()).toEqual([]);
      expect(entries.map(({ action }) => action)).toEqual(["bulk_retry_request.refused"]);
      const exact = await sealing({ filter: { q: "args.customer:42" }, max: 10 });
      while (await sealStep(deps(), exact));
      expect((await request(exact)).child_count).toBe(10);
    });

    test("leaves out tasks of another state, later tasks, and those that left the state since they were found", async () => {
      await failed(500);
      const other = await addProject(opened.database, randomUUID());
      await insertTasks(opened.database, [
        {
          project_id: projectId,
          task_id: "later",
          state: "failure",
          args: '[{"customer":42}]',
          received_at: new Date(startMs + 5000),
        },
        {
          project_id: projectId,
          task_id: "passed",
          state: "success",
          args: '[{"customer":42}]',
          received_at: new Date(startMs),
        },
        {
          project_id: other,
          task_id: "other",
          state: "failure",
          args: '[{"customer":42}]',
          received_at: new Date(startMs),
        },
      ]);
      const id = await sealing({ filter: { q: "args.customer:42" } });
      await sealStep(deps(), id);
      await opened.database.write((tx) =>
        tx
          .updateTable("tasks")
          .set({ state: "success" })
          .where("project_id", "=", projectId)
          .where("task_id", "=", "task-0000")
          .execute(),
      );
      while (await sealStep(deps(), id));
      const ids = await taskIdsOf(id);
      expect(ids).toHaveLength(249);
      expect(ids).not.toContain("task-0000");
      expect(ids.every((one) => one.startsWith("task-"))).toBe(true);
    });

    test("that finds nothing ends the request", async () => {
      await failed(3);
      const id = await sealing({ filter: { q: "args.customer:7", engine: "rq" } });
      expect(await sealStep(deps(), id)).toBe(true);
      const row = await request(id);
      expect(row).toMatchObject({ control_state: "running", child_count: 0 });
      expect(row.finished_at).not.toBeNull();
    });
  });
}
