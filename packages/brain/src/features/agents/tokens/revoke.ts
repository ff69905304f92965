import type { Tx } from "../../../platform/database/database.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Core, Tables } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import { tombstone } from "../store.ts";

/** Cancels in the transaction what no agent has been sent yet of the agent's commands; `announce` is to be called after the commit. */
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
 * Revokes an agent for ever: its token is void, its name is free again, what waited for it is cancelled.
 *
 * @throws ApiError `not_found` when the project has no such unrevoked agent, or when it was heard of after `silentSince`.
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
