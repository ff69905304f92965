import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { bulkRetryRow } from "../../../test/rows/bulk-retry-rows.ts";
import { insertTasks } from "../../../test/rows/task-rows.ts";
import type { BulkRetryRequestRow } from "../../schema/tables/index.ts";
import { createControl } from "./control.ts";
import { readEffectiveRequest } from "./planning/effective-request.ts";
import { sealPlan } from "./planning/seal.ts";
import { claimChildren, settleChildren } from "./rounds/children-store.ts";
import { runRound } from "./rounds/round.ts";
import { sealStep } from "./sealing/seal-step.ts";
import {
  type ChildEnd,
  type ChildMove,
  type ControlMove,
  childColumns,
  childMachine,
  childMoves,
  controlMachine,
  controlMoves,
  controlStates,
} from "./states.ts";

const clock = createFakeClock();
const now = clock.now();
const later = new Date(now.getTime() + 60_000);
const childStates = Object.keys(childMoves) as (keyof typeof childMoves)[];
const ends = Object.keys(childMoves["claimed / unobserved"]) as ChildEnd[];
const audit = { append: async () => {} };

for (const dialect of testDialects) {
  describe(`the states of a bulk retry on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let projectId: string;
    beforeAll(async () => {
      projectId = await addProject(opened.database, randomUUID());
      const received_at = new Date(now.getTime() - 1000);
      await insertTasks(opened.database, [
        { project_id: projectId, task_id: "t", state: "failure", queue: "full", received_at },
      ]);
    });

    async function childAfter(state: keyof typeof childMoves, move: ChildMove): Promise<string> {
      const effective = readEffectiveRequest({ idempotency_key: "key", filter: { engine: "rq", task_ids: ["task"] } });
      const { children } = await sealPlan(
        { clock, maxFrameBytes: 1_048_576 },
        {
          ...{ projectId, parentId: randomUUID(), effective },
          tasks: [{ engine: "rq", task_id: "task", name: "send", priority: "normal", reported_by: randomUUID() }],
        },
      );
      const [child] = children.map((row) => ({ ...row, ...childColumns(state) }));
      const { id } = child!;
      return opened.database.write(async (tx) => {
        await tx.insertInto("bulk_retry_children").values(child!).execute();
        if (move === "claim") {
          const claim = { id, command_id: randomUUID(), claimed_agent_id: randomUUID(), claimed_generation: null };
          const shared = { claimed_at: now, claim_deadline_at: later, task_outcome: null };
          await claimChildren(tx, [{ ...claim, ended_before_at: null }], shared);
        } else {
          await settleChildren(tx, [id], move, { error: null, completed_at: now, new_task_id: null });
        }
        const after = tx.selectFrom("bulk_retry_children").selectAll().where("id", "=", id);
        const { delivery_state, outcome } = await after.executeTakeFirstOrThrow();
        return `${delivery_state} / ${outcome}`;
      });
    }

    test.each(childStates)("allow a child exactly the moves of the table from %s", async (state) => {
      for (const move of ["claim", ...ends] as const) {
        const to = (childMoves[state] as Partial<Record<ChildMove, string>>)[move];
        expect({ move, state: await childAfter(state, move) }).toEqual({ move, state: to ?? state });
        expect(childMachine.next(state, move)).toBe(to ?? null);
      }
    });

    /** Makes each move, for a request that only its control state could prevent from moving. */
    const makers: Record<ControlMove, { given: Partial<BulkRetryRequestRow>; make(id: string): Promise<unknown> }> = {
      pause: { given: {}, make: (id) => control().pause(id, requester()).catch(isConflict) },
      resume: { given: {}, make: (id) => control().resume(id, requester()).catch(isConflict) },
      deadline: { given: { deadline_at: now }, make: round },
      canary_failed: { given: { canary_size: 2, canary_failures: 1, pending_count: 18 }, make: round },
      sealed: { given: { child_count: 0, pending_count: 0 }, make: (id) => search(id, "queue:none") },
      refuse: {
        given: { child_count: 0, pending_count: 0, found_count: 1000 },
        make: (id) => search(id, "queue:full"),
      },
      cancel: { given: {}, make: (id) => control().cancel(id, requester()).catch(isConflict) },
    };
    const isConflict = ({ code }: { code: string }) => expect(code).toBe("conflict");
    /** One step of the search of a request for at most 1000 tasks. */
    async function search(id: string, q: string): Promise<void> {
      const { text } = readEffectiveRequest({ idempotency_key: "key", filter: { q } });
      const row = { request_id: id, effective_request: text };
      await opened.database.write((tx) => tx.insertInto("bulk_retry_effective_requests").values(row).execute());
      const deps = { database: opened.database, clock, audit, maxFrameBytes: 1_048_576, parentTimeoutSeconds: 60 };
      await sealStep(deps, id);
    }
    const origin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };
    const requester = () => ({ projectId, userId: randomUUID(), origin });
    const control = () => createControl({ database: opened.database, clock, audit, parentTimeoutSeconds: 60 });
    function round(parentId: string) {
      const commands = { issueIn: async () => ({ commands: [], entries: [], absent: new Set<string>() }) };
      const deps = { database: opened.database, clock, audit, commands, timeoutSeconds: 60 };
      return runRound(deps, { parentId, eligible: async () => [] });
    }

    async function controlAfter(state: string, move: ControlMove): Promise<string> {
      const { given, make } = makers[move];
      const row = bulkRetryRow({
        project_id: projectId,
        control_state: state,
        deadline_at: later,
        ...given,
        created_at: now,
      });
      await opened.database.write((tx) => tx.insertInto("bulk_retry_requests").values(row).execute());
      await make(row.id);
      const after = opened.database.read.selectFrom("bulk_retry_requests").select("control_state");
      return (await after.where("id", "=", row.id).executeTakeFirstOrThrow()).control_state;
    }

    test.each(controlStates)("allow a request exactly the moves of the table from %s", async (state) => {
      for (const move of Object.keys(makers) as ControlMove[]) {
        const to = (controlMoves[state] as Partial<Record<ControlMove, string>>)[move];
        expect({ move, state: await controlAfter(state, move) }).toEqual({ move, state: to ?? state });
        expect(controlMachine.next(state, move)).toBe(to ?? null);
      }
    });
  });
}
