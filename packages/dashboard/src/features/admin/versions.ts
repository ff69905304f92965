export const versionStatuses = {
  current: { label: "current", glyph: "success" },
  behind: { label: "update available", glyph: "high" },
  ahead: { label: "newer than latest known", glyph: "unknown" },
  elsewhere: { label: "not installed", glyph: "pending" },
  unknown: { label: "unknown", glyph: "unknown" },
} as const;

type VersionStatus = keyof typeof versionStatuses;

/** How an installed version compares to the latest known one. */
export function statusOf(installed: string | undefined, known: string | undefined): VersionStatus {
  if (installed === undefined) return "elsewhere";
  if (known === undefined) return "unknown";
  const order = compareVersions(installed, known);
  return order === 0 ? "current" : order < 0 ? "behind" : "ahead";
}

/** Precedence by Semantic Versioning 2.0.0; build metadata is ignored. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < 3; at++) {
    const difference = (first.numbers[at] ?? 0) - (second.numbers[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  // A pre-release comes before its release.
  if (first.tail.length === 0 || second.tail.length === 0) return Math.sign(second.tail.length - first.tail.length);
  for (let at = 0; at < Math.max(first.tail.length, second.tail.length); at++) {
    const order = compareTails(first.tail[at], second.tail[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(version: string): { numbers: number[]; tail: string[] } {
  const [core = "", ...tail] = (version.split("+", 1)[0] ?? "").split("-");
  return { numbers: core.split(".").map(Number), tail: tail.length === 0 ? [] : tail.join("-").split(".") };
}

function compareTails(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  if (one === undefined) return -1;
  if (other === undefined) return 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Math.sign(Number(one) - Number(other));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : 1;
}
