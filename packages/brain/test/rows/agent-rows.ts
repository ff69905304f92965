/** Agent rows for tests, as creating and connecting an agent leave them. */
import { randomUUID } from "node:crypto";
import type { AgentRow } from "../../src/schema/tables/index.ts";

/** A complete row from the fields that a test needs. */
export function agentRow(given: Partial<AgentRow> & Pick<AgentRow, "project_id" | "name">): AgentRow {
  const at = given.created_at ?? new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  return {
    id: randomUUID(),
    token_hash: randomUUID(),
    state: "unknown",
    transport: null,
    protocol_version: "2",
    agent_version: null,
    framework_adapter: "node",
    host_name: null,
    engine_adapters: "[]",
    scheduler_adapters: "[]",
    capabilities: "{}",
    runtime_features: "[]",
    metadata: "{}",
    last_seen_at: null,
    last_connect_at: null,
    revoked_at: null,
    created_at: at,
    updated_at: at,
    ...given,
  };
}
