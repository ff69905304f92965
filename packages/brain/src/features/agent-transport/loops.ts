import type { Loop } from "../../platform/loop.ts";

/** Offers commands to connected agents whose notification was lost. Runs in every replica: each has its own connections. */
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
