import { readCommandResult } from "@svc/protocol";
import { storedJson } from "../../platform/database/stored-json.ts";
import type { CommandDeps } from "./claim.ts";
import { finish, markAcked } from "./store.ts";

const maxErrorCharacters = 8192;

/** Stores what an agent says about a command it was given: its ack and its result (spec part 3, section 4.1). */
export function createReports({ database, clock, log, counted }: CommandDeps) {
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
      const status = isSuccess ? "completed" : "failed";
      const command = await database.write((tx) =>
        finish(tx, {
          id: commandId.toLowerCase(),
          agentId,
          token: tokenOf(payload),
          status,
          result: isSuccess ? storedJson(readCommandResult(payload)?.result ?? {}) : null,
          error: typeof payload.error === "string" ? storedText(payload.error) : null,
          now: clock.now(),
        }),
      );
      if (command !== undefined) {
        counted.moved(command, status);
        return;
      }
      counted.late(status);
      log.info("commands.late_result", { command_id: commandId, agent_id: agentId });
    },
  };
}

/** PostgreSQL holds no U+0000. */
const storedText = (text: string): string =>
  text.slice(0, maxErrorCharacters).toWellFormed().replaceAll("\0", "\ufffd");

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
