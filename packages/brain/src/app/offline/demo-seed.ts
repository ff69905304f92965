import { ownOrigin } from "../../features/audit/index.ts";
import type { Features } from "../features.ts";

export interface DemoSeed {
  readonly projectSlug: string;
  readonly projectName: string;
  readonly agentName: string;
  readonly adminEmail: string;
}

/** Creates the project and agent of the demo, as an administrator would, for the account from the settings. */
export async function seedDemo(
  { agents, projects, users }: Pick<Features, "agents" | "projects" | "users">,
  { projectSlug, projectName, agentName, adminEmail }: DemoSeed,
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
  return { token, hmacSecret: hmac_secret, agentId: agent.id };
}
