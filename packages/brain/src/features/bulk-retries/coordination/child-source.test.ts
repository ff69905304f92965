import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { agentRow } from "../../../../test/rows/agent-rows.ts";
import { bulkRetryRow } from "../../../../test/rows/bulk-retry-rows.ts";
import { commandRow } from "../../../../test/rows/command-rows.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { BulkRetryRequestRow } from "../../../schema/tables/index.ts";
import { readEffectiveRequest } from "../planning/effective-request.ts";
import { sealPlan } from "../planning/seal.ts";
import { fullWithUnnotedEnds, openWithAllowance } from "../store.ts";
import { waitingFor } from "./child-source.ts";

const now = new Date("2026-05-20T12:00:00Z");
const later = new Date("2026-05-20T12:01:00Z");
const full = { claimed_count: 8, pending_count: 12 };

for (const dialect of testDialects) {
  describe(`agents with waiting children of bulk retries on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let projectId: string;
    beforeEach(async () => {
      projectId = await addProject(opened.database, randomUUID());
    });

    async function addAgents(count: number): Promise<string[]> {
      const rows = Array.from({ length: count }, (_, index) =>
        agentRow({ project_id: projectId, name: `agent-${index}` }),
      );
      await opened.database.write((tx) => tx.insertInto("agents").values(rows).execute());
      return rows.map(({ id }) => id);
    }

    let made = 0;
    /** A running request for 20 unsent tasks of rq, younger than the previous ones. */
    async function addRequest(given: Partial<BulkRetryRequestRow> = {}): Promise<string> {
      made += 1;
      const row = bulkRetryRow({
        id: uuidV7({ now: () => new Date(now.getTime() + made) }),
        project_id: projectId,
        deadline_at: later,
        ...given,
      });
      await opened.database.write((tx) => tx.insertInto("bulk_retry_requests").values(row).execute());
      return row.id;
    }
    const addRequests = async (count: number, given: Partial<BulkRetryRequestRow> = {}) => {
      for (let at = 0; at < count; at += 1) await addRequest(given);
    };
    const kindsFor = async (agentIds: readonly string[], at = now) =>
      (await waitingFor(opened.database.read, agentIds, at))
        .map(({ agentId, engine }) => `${agentIds.indexOf(agentId)} ${engine}`)
        .sort();

    test("are found after any number of older requests without allowance", async () => {
      const agentIds = await addAgents(251);
      await addRequest(full);
      await addRequest({ canary_size: 2, pending_count: 18, child_count: 20 });
      await addRequest({ rate_per_minute: 60, next_claim_at: later });
      expect(await kindsFor(agentIds)).toEqual([]);
      await addRequest();
      expect(await kindsFor(agentIds)).toHaveLength(251);
    });

    test.each<[string, Partial<BulkRetryRequestRow>]>([
      ["there is allowance in addition to what is in flight", { claimed_count: 7, pending_count: 13 }],
      ["not all canary tasks are sent", { canary_size: 2, pending_count: 19 }],
      ["its rate allows more now", { rate_per_minute: 60, next_claim_at: now }],
    ])("belong to a request when %s", async (_what, given) => {
      const agentIds = await addAgents(1);
      const id = await addRequest(given);
      expect(await kindsFor(agentIds)).toEqual(["0 rq"]);
      expect(await openWithAllowance(opened.database.read, agentIds, now)).toMatchObject([{ id }]);
    });

    test.each<[string, Partial<BulkRetryRequestRow>]>([
      ["is paused", { control_state: "paused" }],
      ["is past its deadline", { deadline_at: now }],
      ["has no unsent children", { pending_count: 0, claimed_count: 7 }],
      ["has finished", { finished_at: now }],
    ])("do not belong to a request that %s", async (_what, given) => {
      const agentIds = await addAgents(1);
      await addRequest(given);
      expect(await kindsFor(agentIds)).toEqual([]);
    });

    test("are listed once per engine, and only for requests open to them", async () => {
      const agentIds = await addAgents(3);
      await addRequest();
      await addRequest();
      const ranges = '[{"engine":"celery","next":9,"end":9},{"engine":"huey","next":9,"end":20}]';
      await addRequest({ target_agent_id: agentIds[1]!, ranges });
      await opened.database.write((tx) =>
        tx.updateTable("agents").set({ revoked_at: now }).where("id", "=", agentIds[2]!).execute(),
      );
      expect(await kindsFor(agentIds)).toEqual(["0 rq", "1 huey", "1 rq"]);
      projectId = await addProject(opened.database, randomUUID());
      expect(await kindsFor(await addAgents(1))).toEqual([]);
    });

    test("are found despite any number of older ones of another project or for another agent", async () => {
      const agentIds = await addAgents(1);
      const ranges = '[{"engine":"celery","next":0,"end":20}]';
      await addRequests(1001, { ranges });
      projectId = await addProject(opened.database, randomUUID());
      agentIds.push(...(await addAgents(2)));
      await addRequest();
      expect(await kindsFor(agentIds)).toEqual(["0 celery", "1 rq", "2 rq"]);
      await addRequest({ target_agent_id: agentIds[2]!, ranges });
      expect(await kindsFor(agentIds)).toEqual(["0 celery", "1 rq", "2 celery", "2 rq"]);
    });

    test.each([
      ["has none while the command of a child is in flight", "dispatched", full, "unobserved", false],
      ["gets some from an end that is not recorded yet", "completed", full, "unobserved", true],
      ["gets none from a recorded end", "completed", full, "succeeded", false],
      ["has some anyway", "completed", { claimed_count: 7, pending_count: 13 }, "unobserved", false],
    ])("may find allowance in a full request, which %s", async (_what, status, given, outcome, isFound) => {
      const [agentId] = await addAgents(1);
      const id = await addRequest(given);
      const command = commandRow({ project_id: projectId, agent_id: agentId!, action: "bulk_retry", status });
      const task = { engine: "rq", task_id: "task-1", name: "report", priority: "normal", reported_by: agentId! };
      const { children } = await sealPlan(
        { clock: createFakeClock(now), maxFrameBytes: 1_048_576 },
        {
          projectId,
          parentId: id,
          effective: readEffectiveRequest({ idempotency_key: "key", filter: { queue: "emails" } }),
          tasks: [task],
        },
      );
      const sent = { delivery_state: "claimed", command_id: command.id, outcome };
      await opened.database.write(async (tx) => {
        await tx.insertInto("commands").values(command).execute();
        await tx
          .insertInto("bulk_retry_children")
          .values({ ...children[0]!, ...sent })
          .execute();
      });
      const found = await fullWithUnnotedEnds(opened.database.read, agentId!, now);
      expect(found.map((row) => row.id)).toEqual(isFound ? [id] : []);
    });
  });
}
