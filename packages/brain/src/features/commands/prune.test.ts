import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import type { CommandRow } from "../../schema/tables/index.ts";
import { pruneCommands } from "./loops.ts";
import { deleteCommandsEndedBefore } from "./store.ts";

const now = new Date("2026-04-01T10:00:00.000Z");
const cutoff = new Date("2026-01-01T10:00:00.000Z");
const before = new Date(cutoff.getTime() - 1);
let commands = 0;

function command(given: Partial<CommandRow>): CommandRow {
  commands += 1;
  return {
    id: `00000000-0000-4000-8000-${String(commands).padStart(12, "0")}`,
    project_id: "11111111-2222-4333-8444-555555555555",
    issued_by: null,
    agent_id: null,
    action: "cancel_task",
    target_type: "task",
    target_id: null,
    engine: null,
    payload: "{}",
    idempotency_key: null,
    request_digest: null,
    status: "completed",
    result: null,
    error: null,
    delivery_claim_token: null,
    issued_at: before,
    dispatched_at: null,
    acked_at: null,
    last_sent_at: null,
    completed_at: before,
    timeout_at: null,
    source_ip: null,
    api_key_id: null,
    ...given,
  };
}

for (const dialect of testDialects) {
  describe(`history retention of commands on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const add = (...rows: CommandRow[]) =>
      opened.database.write((tx) => tx.insertInto("commands").values(rows).execute());
    const present = async () => {
      const rows = await opened.database.read.selectFrom("commands").select(["target_id"]).orderBy("id").execute();
      return rows.map(({ target_id }) => target_id);
    };
    const tick = (signal = new AbortController().signal) =>
      pruneCommands.tick({
        database: opened.database,
        clock: createFakeClock(now.toISOString()),
        settings: { SVC_HISTORY_RETENTION_DAYS: 90 },
        signal,
      });

    beforeEach(() => opened.database.write((tx) => tx.deleteFrom("commands").execute()));

    test("deletes commands that ended before the retention, in every terminal status", async () => {
      await add(
        ...(["completed", "failed", "timeout", "cancelled"] as const).map((status) => command({ status })),
        command({ status: "timeout", completed_at: null }),
        // Retention counts back from a day before the newest row.
        command({ target_id: "newest", issued_at: new Date(now.getTime() + 86_400_000) }),
      );
      expect(await tick()).toEqual({ deleted: 5 });
      expect(await present()).toEqual(["newest"]);
    });

    test("keeps open commands of any age, and those that ended within the retention", async () => {
      await add(
        command({ target_id: "pending", status: "pending", completed_at: null }),
        command({ target_id: "dispatched", status: "dispatched", completed_at: null }),
        command({ target_id: "ended late", completed_at: cutoff }),
        command({ target_id: "recent", issued_at: cutoff, completed_at: cutoff }),
      );
      expect(await tick()).toEqual({ deleted: 0 });
      expect(await present()).toEqual(["pending", "dispatched", "ended late", "recent"]);
    });

    test("deletes in batches, oldest first", async () => {
      await add(
        command({ target_id: "second" }),
        command({ target_id: "first", issued_at: new Date(before.getTime() - 1) }),
      );
      expect(await deleteCommandsEndedBefore(opened.database, cutoff, 1)).toBe(1);
      expect(await present()).toEqual(["second"]);
    });

    test("deletes nothing more once the process stops", async () => {
      await add(command({ target_id: "old" }));
      expect(await tick(AbortSignal.abort())).toEqual({ deleted: 0 });
      expect(await present()).toEqual(["old"]);
    });
  });
}
