import type { Tx } from "../../../platform/database/database.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Core, Tables } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import { tombstone } from "../store.ts";

/** Cancels the agent's commands that have not been sent yet, in the transaction; call `announce` after the commit. */
export type CancelCommands = (
  tx: Tx<Tables>,
  agentId: string,
  now: Date,
) => Promise<{ count: number; announce(): void }>;

export interface RevokeDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly cancelCommands: CancelCommands;
}

/**
 * Revokes an agent permanently: its token becomes invalid, its name is free again, and its waiting commands are cancelled.
 *
 * @throws ApiError `not_found` when the project has no such unrevoked agent, or when the agent made contact after `silentSince`.
 */
export async function revokeAgent(
  { database, clock, audit, cancelCommands }: RevokeDeps,
  {
    id,
    projectId,
    origin,
    silentSince = null,
  }: { id: string; projectId: string; origin: AuditOrigin; silentSince?: Date | null },
): Promise<void> {
  const now = clock.now();
  const cancelled = await database.write(async (tx) => {
    const agent = await tombstone(tx, { id, projectId, now, silentSince });
    if (agent === undefined) throw new ApiError("not_found", { resource: "agent" });
    const commands = await cancelCommands(tx, id, now);
    await audit.append(tx, {
      action: "agent.token.revoked",
      target_type: "agent",
      target_id: id,
      project_id: projectId,
      metadata: {
        name: agent.name,
        commands_cancelled: commands.count,
        reason: silentSince === null ? "requested" : "stale",
      },
      ...origin,
    });
    return commands;
  });
  cancelled.announce();
}
