import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { commandRow } from "../../../test/rows/command-rows.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import { claimPending } from "./delivery/claim-store.ts";
import { expireDue, failUnsigned, putBack } from "./delivery/delivery-store.ts";
import { resendRule, winResends } from "./delivery/resend-store.ts";
import { finish } from "./results/report-store.ts";
import { type CommandMove, commandMachine, commandMoves, commandStatuses } from "./states.ts";
import { cancelPending } from "./store.ts";

const now = new Date("2026-05-20T12:00:00Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const projectId = "11111111-2222-4333-8444-555555555555";
const agentId = "aaaaaaaa-0000-4000-8000-000000000001";
const token = "token";

for (const dialect of testDialects) {
  const report = { agentId, token, result: null, error: null, now };
  /** Makes each move, for a command that only its status could prevent from moving. */
  const makers: Record<CommandMove, (tx: Tx<Tables>, row: CommandRow) => Promise<unknown>> = {
    claim: (tx, { id }) => claimPending(tx, { claims: [{ id, token }], now, timeoutAt: at(60) }),
    agent_revoked: (tx) => cancelPending(tx, { of: { agent_id: agentId }, error: "revoked", now }),
    project_archived: (tx) => cancelPending(tx, { of: { project_id: projectId }, error: "archived", now }),
    report_success: (tx, { id }) => finish(tx, { ...report, id, move: "report_success" }),
    report_failure: (tx, { id }) => finish(tx, { ...report, id, move: "report_failure" }),
    expire: (tx) => expireDue(tx, { now: at(61), limit: 10 }),
    redeliver: (tx, { id }) =>
      winResends(tx, { ids: [id], rule: resendRule(now, { windowSeconds: 60, minIntervalSeconds: 10 }) }),
    send_failed: (tx, { id }) => putBack(tx, { id, token }),
    signing_failed: (tx, { id }) => failUnsigned(tx, { id, token }, { error: "unsigned", now }),
  };

  describe(`the states of a command on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    async function statusAfter(status: string, move: CommandMove): Promise<{ status: string; isChanged: boolean }> {
      const row = commandRow({
        ...{ project_id: projectId, agent_id: agentId, action: "cancel_task", status },
        ...{ delivery_claim_token: token, dispatched_at: at(-30), last_sent_at: at(-30), timeout_at: at(60) },
      });
      return opened.database.write(async (tx) => {
        await tx.deleteFrom("commands").execute();
        await tx.insertInto("commands").values(row).execute();
        const find = () => tx.selectFrom("commands").selectAll().executeTakeFirstOrThrow();
        const before = await find();
        await makers[move](tx, row);
        const after = await find();
        return { status: after.status, isChanged: JSON.stringify(before) !== JSON.stringify(after) };
      });
    }

    test.each(commandStatuses)("allow exactly the moves of the table from %s", async (status) => {
      const moves = Object.keys(makers) as CommandMove[];
      for (const move of moves) {
        const to = (commandMoves[status] as Partial<Record<CommandMove, string>>)[move];
        const expected = { status: to ?? status, isChanged: to !== undefined };
        expect({ move, ...(await statusAfter(status, move)) }).toEqual({ move, ...expected });
        expect(commandMachine.next(status, move)).toBe(to ?? null);
      }
    });
  });
}
