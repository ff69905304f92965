/** The agents of one project on a database of the test, with a clock that is moved by hand. */
import type { HelloPayload } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { addProject } from "@svc/testkit/databases";
import { type AgentIdentity, type Agents, createAgents } from "../src/features/agents/index.ts";
import { createAudit, ownOrigin } from "../src/features/audit/index.ts";
import { createKeyring } from "../src/platform/crypto/keyring.ts";
import type { Database } from "../src/platform/database/database.ts";
import type { Tables } from "../src/schema/tables/index.ts";

export const agentMasters = createKeyring("0123456789abcdef0123456789abcdef-demo-master", ["previous-".repeat(5)]);
export const projectId = "11111111-2222-4333-8444-555555555555";

const settings = {
  SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: 30,
  SVC_AGENT_STALE_PRUNE_DAYS: 30,
  SVC_AGENT_STATUS_MAX_PER_AGENT: 5,
};

export const helloOf = (changes: Partial<HelloPayload> = {}): HelloPayload => ({
  protocol_version: "2",
  agent_version: "1.0.0",
  framework: "node",
  engines: ["bullmq"],
  schedulers: [],
  capabilities: { bullmq: ["retry_task"] },
  host: { name: "box\0-1" },
  worker_id: "node-1-1",
  worker_role: "task",
  worker_pid: 1,
  worker_started_at: "2026-01-02T03:04:05Z",
  runtime_features: [],
  ...changes,
});

export type AgentsFixture = Awaited<ReturnType<typeof startAgents>>;

export async function startAgents(database: Database<Tables>) {
  const clock = createFakeClock();
  const published: string[][] = [];
  const errors: unknown[] = [];
  const cancelled: string[] = [];
  const audit = createAudit({
    database,
    secrets: createKeyring("audit-secret-0123456789-0123456789ab"),
    clock,
    onError: (error) => void errors.push(error),
  });
  await audit.prepare();
  await addProject(database, projectId);
  const agentsOn = (other: Database<Tables>, masters = agentMasters): Agents =>
    createAgents({
      database: other,
      clock,
      audit,
      masters,
      brainVersion: "1.0.0",
      settings,
      publish: ({ ids }) => void published.push(ids),
      onError: (error) => void errors.push(error),
      commandsCancelled: (commands) => void cancelled.push(...commands.map(({ action }) => action)),
    });
  const agents = agentsOn(database);
  await agents.start();

  return {
    agents,
    /** The same agents as another process has them. */
    agentsOn,
    cancelled,
    clock,
    errors,
    published,
    async minted(name: string): Promise<{ identity: AgentIdentity; token: string }> {
      const { agent, token } = await agents.mint({ projectId, name, origin: ownOrigin });
      return { identity: { agent_id: agent.id, project_id: projectId, name, project_is_active: true }, token };
    },
    stateOf: async (id: string) => (await agents.get(projectId, id)).state,
    setProjectActive: (isActive: boolean) =>
      database.write((tx) =>
        tx.updateTable("projects").set({ is_active: isActive }).where("id", "=", projectId).execute(),
      ),
  };
}
