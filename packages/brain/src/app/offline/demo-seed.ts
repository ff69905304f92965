import { ownOrigin } from "../../features/audit/index.ts";
import type { Features } from "../features.ts";

export interface DemoSeed {
  readonly projectSlug: string;
  readonly projectName: string;
  readonly agentName: string;
  readonly adminEmail: string;
  readonly schedules: readonly Parameters<Features["schedules"]["create"]>[0][];
}

/** Creates the project, agent and schedules of the demo, as an administrator would, for the account from the settings. */
export async function seedDemo(
  { agents, projects, schedules, users }: Pick<Features, "agents" | "projects" | "schedules" | "users">,
  { projectSlug, projectName, agentName, adminEmail, schedules: seeded }: DemoSeed,
): Promise<{ token: string; hmacSecret: string; agentId: string }> {
  const admin = await users.findByEmail(adminEmail);
  if (admin === undefined) throw new Error("the demo's administrator is missing");
  const project = await projects.create({
    body: { slug: projectSlug, name: projectName, environment: "demo" },
    creatorId: admin.id,
    origin: ownOrigin,
  });
  const { agent, token, hmac_secret } = await agents.mint({
    projectId: project.id,
    name: agentName,
    origin: ownOrigin,
  });
  for (const body of seeded) await schedules.create(body, { projectId: project.id, origin: ownOrigin });
  return { token, hmacSecret: hmac_secret, agentId: agent.id };
}
