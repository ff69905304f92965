import type { ListedAgent } from "./reads.ts";
import type { Agent } from "./schemas.ts";
import { versionStatus } from "./version-status.ts";

/** An agent in the form that the API returns. */
export function publicAgent(row: ListedAgent, brainVersion: string): Agent {
  const status = versionStatus(row.agent_version, brainVersion);
  return {
    ...row,
    engine_adapters: JSON.parse(row.engine_adapters) as string[],
    scheduler_adapters: JSON.parse(row.scheduler_adapters) as string[],
    capabilities: JSON.parse(row.capabilities) as Record<string, unknown>,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    is_outdated: status === "outdated" || status === "incompatible",
    version_status: status,
  };
}
