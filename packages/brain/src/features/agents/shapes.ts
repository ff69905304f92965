import type { AgentRow, AgentWorkerRow } from "../../schema/tables/index.ts";
import type { ListedAgent } from "./reads.ts";
import type { Agent, AgentProcess } from "./schemas.ts";
import { versionStatus } from "./version-status.ts";

/** An agent as the API shows it (spec part 3, section 5.4). */
export function publicAgent(row: ListedAgent | AgentRow, brainVersion: string): Agent {
  const status = versionStatus(row.agent_version, brainVersion);
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    state: row.state,
    protocol_version: row.protocol_version,
    framework_adapter: row.framework_adapter,
    engine_adapters: JSON.parse(row.engine_adapters) as string[],
    scheduler_adapters: JSON.parse(row.scheduler_adapters) as string[],
    capabilities: JSON.parse(row.capabilities) as Record<string, unknown>,
    last_seen_at: instant(row.last_seen_at),
    last_connect_at: instant(row.last_connect_at),
    created_at: row.created_at.toISOString(),
    is_outdated: status === "outdated" || status === "incompatible",
    host_name: row.host_name,
    agent_version: row.agent_version,
    version_status: status,
    transport: row.transport,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
}

export function publicProcess(row: AgentWorkerRow): AgentProcess {
  return {
    id: row.id,
    agent_id: row.agent_id,
    project_id: row.project_id,
    worker_id: row.worker_id,
    role: row.role,
    framework: row.framework,
    pid: row.pid,
    started_at: instant(row.started_at),
    state: row.state,
    last_seen_at: instant(row.last_seen_at),
    last_connect_at: instant(row.last_connect_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const instant = (at: Date | null): string | null => (at === null ? null : at.toISOString());
