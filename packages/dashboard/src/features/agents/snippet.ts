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
