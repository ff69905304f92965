/** What is pasted where the side-car runs. Empty secrets leave `NAME=`, which the page shows as "shown once". */
export interface AgentSecrets {
  token: string;
  hmacSecret: string;
}

export function environmentLines(slug: string, secrets: AgentSecrets | null): string {
  return [
    `export SVC_TOKEN=${secrets?.token ?? ""}`,
    `export SVC_HMAC_SECRET=${secrets?.hmacSecret ?? ""}`,
    `export SVC_PROJECT_ID=${slug}`,
  ].join("\n");
}

export function sidecarCommand(brainUrl: string): string {
  return `npx svc agent bullmq --redis redis://127.0.0.1:6379 --brain ${brainUrl}`;
}

/** The same agent in the process of the workers; the token and the secret come from the environment. */
export function inProcessCode(brainUrl: string): string {
  return `import { startAgent } from "@svc/agent";
import { attachBullmq } from "@svc/bullmq";

const agent = startAgent({
  brainUrl: "${brainUrl}",
  token: process.env.SVC_TOKEN,
  hmacSecret: process.env.SVC_HMAC_SECRET,
  engines: [attachBullmq({ redis, workers: [worker] })],
});
// at shutdown, after worker.close()
await agent.stop();`;
}
