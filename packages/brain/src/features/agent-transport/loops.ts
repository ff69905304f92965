import type { Loop } from "../../platform/loop.ts";

/** Gives connected agents commands of which word was lost. In every replica: each has connections of its own. */
export const offerWaiting: Loop<{
  transport: { offerAll(): Promise<number> };
  settings: { SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS: number };
}> = {
  name: "agent_transport.offer",
  everyMs: ({ settings }) => settings.SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS * 1000,
  leaderOnly: false,
  async tick({ transport }) {
    return { agents: await transport.offerAll() };
  },
};
