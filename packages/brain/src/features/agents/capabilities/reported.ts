import type { HelloPayload } from "@svc/protocol";

/** Capability tokens by engine or scheduler, as a hello told; one that it only names has none. */
export const reportedCapabilities = ({
  engines,
  schedulers,
  capabilities,
}: Pick<HelloPayload, "engines" | "schedulers" | "capabilities">): Record<string, string[]> => ({
  ...Object.fromEntries([...engines, ...schedulers].map((name) => [name, []])),
  ...capabilities,
});
