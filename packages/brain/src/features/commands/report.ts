import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { storedJson } from "../../platform/database/stored-json.ts";
import type { Log } from "../../platform/log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { finish, markAcked } from "./store.ts";

const maxErrorCharacters = 8192;

/** Stores what an agent says about a command it was given: its ack and its result (spec part 3, section 4.1). */
export function createReports({ database, clock, log }: { database: Database<Tables>; clock: Clock; log: Log }) {
  const tokenOf = (payload: Record<string, unknown>) =>
    typeof payload.delivery_claim_token === "string" ? payload.delivery_claim_token.slice(0, 64) : null;

  return {
    async acked(agentId: string, commandId: string, payload: Record<string, unknown>): Promise<void> {
      if (!isUuid(commandId)) return;
      await database.write((tx) =>
        markAcked(tx, { id: commandId.toLowerCase(), agentId, token: tokenOf(payload), now: clock.now() }),
      );
    },
    async resulted(agentId: string, commandId: string, payload: Record<string, unknown>): Promise<void> {
      if (!isUuid(commandId)) return;
      const isSuccess = payload.status === "success";
      const isStored = await database.write((tx) =>
        finish(tx, {
          id: commandId.toLowerCase(),
          agentId,
          token: tokenOf(payload),
          status: isSuccess ? "completed" : "failed",
          result: isSuccess ? storedJson(payload.result ?? {}) : null,
          error: typeof payload.error === "string" ? storedText(payload.error) : null,
          now: clock.now(),
        }),
      );
      if (!isStored) log.info("commands.late_result", { command_id: commandId, agent_id: agentId });
    },
  };
}

/** PostgreSQL holds no U+0000. */
const storedText = (text: string): string =>
  text.slice(0, maxErrorCharacters).toWellFormed().replaceAll("\0", "\ufffd");

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
