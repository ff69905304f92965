import type { AgentManifest } from "@svc/client";
import { queryOptions } from "@tanstack/react-query";

/** The manifest of the agent file. It is served outside of the API, so the client has no call for it. */
export const agentFileQuery = queryOptions({
  queryKey: ["agent-file"],
  queryFn: async ({ signal }) => {
    const answer = await fetch("/agent/manifest.json", { signal });
    if (!answer.ok) throw new Error(`/agent/manifest.json answered ${answer.status}`);
    return (await answer.json()) as AgentManifest;
  },
});
