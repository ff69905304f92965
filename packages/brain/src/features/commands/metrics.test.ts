import { createRedactor } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { createLog } from "../../platform/log.ts";
import { createMetrics } from "../../platform/metrics.ts";
import { createCommands } from "./index.ts";

const agentId = "aaaaaaaa-0000-4000-8000-000000000001";
const projectId = "11111111-2222-4333-8444-555555555555";
const command = (action: string) => commandRow({ project_id: projectId, agent_id: agentId, action });

for (const dialect of testDialects) {
  describe(`command metrics on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("count claims and results by project, action and status, and late results separately", async () => {
      const { database } = opened;
      const metrics = createMetrics();
      const { claim, reports } = createCommands({
        database,
        clock: createFakeClock(),
        log: createLog({ level: "error", json: true }),
        metrics,
        labels: { of: () => "shop", whenKnown: (_ids, work) => work() },
        timeoutSeconds: 60,
        redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
        audit: { refused() {}, async append() {} },
        redactor: createRedactor(),
        publish() {},
      });
      const rows = [command("cancel_task"), command("cancel_task"), command("reconcile_task")];
      await database.write((tx) => tx.insertInto("commands").values(rows).execute());

      await claim({ agentId, max: 10, retryContracts: new Set(["bullmq"]) });
      await reports.resulted(agentId, rows[0]!.id, { status: "success" });
      await reports.resulted(agentId, rows[2]!.id, { status: "failed", error: "no" });
      await reports.resulted(agentId, rows[2]!.id, { status: "success" });

      const text = await metrics.text();
      const counted = text.split("\n").filter((line) => line.startsWith("svc_command"));
      expect(counted.sort()).toEqual([
        'svc_command_late_results_total{status="completed"} 1',
        'svc_commands_total{project="shop",action="cancel_task",status="completed"} 1',
        'svc_commands_total{project="shop",action="cancel_task",status="dispatched"} 2',
        'svc_commands_total{project="shop",action="reconcile_task",status="dispatched"} 1',
        'svc_commands_total{project="shop",action="reconcile_task",status="failed"} 1',
      ]);
    });
  });
}
