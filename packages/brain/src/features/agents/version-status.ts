export const versionStatuses = ["current", "outdated", "newer_than_known", "incompatible", "unknown"] as const;
export type VersionStatus = (typeof versionStatuses)[number];

type Version = readonly [major: number, minor: number, patch: number];

/**
 * Compares an agent's version with the brain's, which may run one minor version ahead of its agents. Null for an agent that never reported
 * a version; an empty one or 0.0.0 is `unknown`.
 */
export function versionStatus(agentVersion: string | null, brainVersion: string): VersionStatus | null {
  if (agentVersion === null) return null;
  const agent = readVersion(agentVersion);
  const brain = readVersion(brainVersion);
  if (agent === null || brain === null || agent.every((part) => part === 0)) return "unknown";
  if (agent[0] !== brain[0]) return "incompatible";
  if (agent[1] > brain[1] || (agent[1] === brain[1] && agent[2] > brain[2])) return "newer_than_known";
  return brain[1] - agent[1] > 1 ? "outdated" : "current";
}

function readVersion(text: string): Version | null {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?![\d.])/.exec(text);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3])];
}
