import { hmacSecretOf, projectSecret, randomToken, tokenLabels } from "@svc/protocol";
import { storedDigest } from "../../../platform/crypto/digests.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import { isUniqueViolation } from "../../../platform/database/errors.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { AgentRow, Core } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import type { ListedAgent } from "../reads.ts";
import { insertAgent } from "../store.ts";

export interface MintedAgent {
  readonly agent: ListedAgent;
  /** The bearer token; only its digest is stored. */
  readonly token: string;
  readonly hmacSecret: string;
}

/**
 * Creates an agent with its bearer token and the project's signing secret; both are returned only here.
 *
 * @throws ApiError `conflict` when the project has an agent of this name.
 */
export async function mintAgent(
  { database, clock, audit, masters }: Core & { readonly audit: Pick<Audit, "append">; readonly masters: Keyring },
  { projectId, name, origin }: { projectId: string; name: string; origin: AuditOrigin },
): Promise<MintedAgent> {
  const token = randomToken();
  const now = clock.now();
  const row: AgentRow = {
    id: uuidV7(clock),
    project_id: projectId,
    name,
    token_hash: storedDigest(masters, tokenLabels.agentToken, token),
    state: "unknown",
    transport: null,
    protocol_version: "",
    agent_version: null,
    framework_adapter: "",
    host_name: null,
    engine_adapters: "[]",
    scheduler_adapters: "[]",
    capabilities: "{}",
    runtime_features: "[]",
    metadata: "{}",
    last_seen_at: null,
    last_connect_at: null,
    revoked_at: null,
    created_at: now,
    updated_at: now,
  };
  try {
    const agent = await database.write(async (tx) => {
      const inserted = await insertAgent(tx, row);
      await audit.append(tx, {
        action: "agent.token.minted",
        target_type: "agent",
        target_id: row.id,
        project_id: projectId,
        metadata: { name },
        ...origin,
      });
      return inserted;
    });
    return { agent, token, hmacSecret: hmacSecretOf(projectSecret(masters.current, projectId)) };
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError("conflict", { reason: "name_in_use" }, { cause: error });
    throw error;
  }
}
