import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agentRow } from "../../../test/rows/agent-rows.ts";
import type { AgentStatusRow } from "../../schema/tables/index.ts";
import { pruneSamples } from "./loops.ts";
import { agentsWithSamplesBefore, deleteSamplesBefore } from "./presence/samples-store.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const now = new Date("2026-04-01T10:00:00.000Z");
/** Start of the oldest day that a retention of 30 days keeps. */
const horizon = new Date("2026-03-02T00:00:00.000Z");
const before = new Date(horizon.getTime() - 1);
const agents = ["aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002"] as const;

for (const dialect of testDialects) {
  describe(`retention of status samples on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const add = (...samples: (readonly [agentId: string, at: Date])[]) =>
      opened.database.write((tx) =>
        tx
          .insertInto("agent_status_history")
          .values(
            samples.map(([agent_id, captured_at]) => ({
              project_id: projectId,
              agent_id,
              captured_at,
              payload: "{}",
            })) as AgentStatusRow[],
          )
          .execute(),
      );
    const left = () =>
      opened.database.read
        .selectFrom("agent_status_history")
        .select(["agent_id", "captured_at"])
        .orderBy("agent_id")
        .orderBy("captured_at")
        .execute();
    const tick = (signal = new AbortController().signal) =>
      pruneSamples.tick({
        database: opened.database,
        clock: createFakeClock(now.toISOString()),
        settings: { SVC_EVENT_RETENTION_DAYS: 30 },
        signal,
      });

    beforeAll(async () => {
      await addProject(opened.database, projectId);
      await opened.database.write((tx) =>
        tx
          .insertInto("agents")
          .values(
            agents.map((id, index) =>
              // A revoked agent sends no more samples, so only this loop deletes the ones it has.
              agentRow({ id, project_id: projectId, name: `agent ${index}`, revoked_at: index === 1 ? now : null }),
            ),
          )
          .execute(),
      );
    });
    beforeEach(() => opened.database.write((tx) => tx.deleteFrom("agent_status_history").execute()));

    test("deletes samples older than the event retention, of active and revoked agents", async () => {
      const newest = new Date(now.getTime() + 86_400_000);
      await add(
        [agents[0], before],
        [agents[0], horizon],
        [agents[1], before],
        [agents[1], before],
        [agents[1], newest],
      );

      expect(await tick()).toEqual({ deleted: 3, losses: 0 });

      expect(await left()).toEqual([
        { agent_id: agents[0], captured_at: horizon },
        { agent_id: agents[1], captured_at: newest },
      ]);
    });

    test("deletes in batches, oldest first", async () => {
      await add([agents[0], before], [agents[0], new Date(before.getTime() - 1)]);

      expect(await deleteSamplesBefore(opened.database, agents[0], horizon, 1)).toBe(1);

      expect(await left()).toEqual([{ agent_id: agents[0], captured_at: before }]);
    });

    test("scans only agents that have something to delete", async () => {
      await add([agents[0], horizon], [agents[1], before]);

      expect(await agentsWithSamplesBefore(opened.database, horizon, 10)).toEqual([agents[1]]);
    });

    test("deletes nothing more once the process stops", async () => {
      await add([agents[0], before]);

      expect(await tick(AbortSignal.abort())).toEqual({ deleted: 0, losses: 0 });

      expect(await left()).toHaveLength(1);
    });
  });
}
