import { chunks } from "../../../platform/chunks.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";
import type { EndedCommand } from "../results/result-signal.ts";
import type { ClaimedCommand, CommandDeps } from "./claim.ts";
import { agentsWithPending, expireDue, failUnsigned, isAnyDue, putBack } from "./delivery-store.ts";

export interface DeliveryDeps extends CommandDeps {
  changed(command: Pick<CommandRow, "id" | "project_id">): void;
  ended(commands: readonly EndedCommand[]): void;
  /** Told of agents for which a command waits again; in every process, since another connection may take it. */
  waits(agentId: string): void;
}

const rowsPerBatch = 1000;
const agentsPerStatement = 500;

/** What becomes of claimed commands that do not reach their agent, and of open ones whose time is over (spec part 3, section 4.1). */
export function createDelivery({ database, clock, log, counted, changed, ended, waits }: DeliveryDeps) {
  const deliveryOf = ({ id, payload }: ClaimedCommand) => ({ id, token: String(payload.delivery_claim_token) });

  return {
    /** The send of a claimed command failed: it waits again, unless it may not be repeated. Then it stays until its result or its timeout. */
    async unsent(command: ClaimedCommand): Promise<void> {
      const row = await database.write((tx) => putBack(tx, deliveryOf(command)));
      log.info("commands.send_failed", { command_id: command.id, waits_again: row !== undefined });
      if (row === undefined) return;
      counted.moved(row, "pending");
      changed(row);
      if (row.agent_id !== null) waits(row.agent_id);
    },
    /** A claimed command cannot be signed, and never will be. Never throws: one that cannot be ended now times out, and others go on. */
    async unsigned(command: ClaimedCommand, error: string): Promise<void> {
      log.error("commands.signing_failed", { command_id: command.id });
      const row = await database
        .write((tx) => failUnsigned(tx, deliveryOf(command), { error, now: clock.now() }))
        .catch((cause: Error) => {
          log.warn("commands.signing_not_noted", { command_id: command.id, message: cause.message });
        });
      if (row === undefined) return;
      counted.moved(row, "failed");
      ended([row]);
    },
    /** Ends what is over its time; in every process, since each row is won by one of them. */
    async expire(signal: AbortSignal): Promise<number> {
      let expired = 0;
      for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; ) {
        const now = clock.now();
        if (!(await isAnyDue(database.read, now))) break;
        const rows = await database.write((tx) => expireDue(tx, { now, limit: rowsPerBatch }));
        for (const row of rows) counted.moved(row, "timeout");
        ended(rows);
        batch = rows.length;
        expired += batch;
      }
      return expired;
    },
    /** Those of the agents for which commands wait. */
    async waitingAgents(agentIds: readonly string[]): Promise<string[]> {
      const waiting: string[] = [];
      for (const some of chunks(agentIds, agentsPerStatement)) {
        waiting.push(...(await agentsWithPending(database.read, some, clock.now())));
      }
      return waiting;
    },
  };
}
