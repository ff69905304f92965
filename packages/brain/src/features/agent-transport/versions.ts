/** How an agent's version compares with the brain's. */
export type VersionVerdict = "fine" | "newer" | "behind" | "other_major" | "unknown";

/** Compares `major.minor.patch` texts; empty and 0.0.0 are unknown and cause no message. */
export function compareVersions(agent: string, brain: string): VersionVerdict {
  const theirs = readVersion(agent);
  const ours = readVersion(brain);
  if (theirs === null || ours === null || theirs.every((part) => part === 0)) return "unknown";
  if (theirs[0] !== ours[0]) return "other_major";
  if (theirs[1] > ours[1] || (theirs[1] === ours[1] && theirs[2] > ours[2])) return "newer";
  return ours[1] - theirs[1] > 1 ? "behind" : "fine";
}

function readVersion(text: string): [number, number, number] | null {
  const match = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])];
}
