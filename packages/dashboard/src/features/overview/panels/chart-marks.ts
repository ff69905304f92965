import type { Agent, ReleaseMark } from "@svc/client";
import type { Mark } from "../../../ui/charts/parts/marks.ts";
import { printable } from "../../../ui/time/format.ts";

/** Connections closer together than this share of the window are one annotation. */
const joinedShare = 0.02;

interface Happenings {
  readonly releases: readonly ReleaseMark[];
  readonly agents: readonly Agent[];
}

/** Chart annotations of a window: new releases and agent connections, oldest first. */
export function chartMarks({ releases, agents }: Happenings, window: { sinceMs: number; untilMs: number }): Mark[] {
  const isInside = (atMs: number) => atMs >= window.sinceMs && atMs <= window.untilMs;
  const ofReleases = releases
    .map(({ release, first_seen }) => ({ atMs: Date.parse(first_seen), label: `release ${printable(release)}` }))
    .filter(({ atMs }) => isInside(atMs));
  const connected = agents
    .map(({ name, last_connect_at }) => ({ atMs: Date.parse(last_connect_at ?? ""), name }))
    .filter(({ atMs }) => isInside(atMs))
    .toSorted((a, b) => a.atMs - b.atMs);
  const joinedMs = (window.untilMs - window.sinceMs) * joinedShare;
  const groups: (typeof connected)[] = [];
  for (const one of connected) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && one.atMs - last[0].atMs <= joinedMs) last.push(one);
    else groups.push([one]);
  }
  const ofAgents = groups.flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : {
          atMs: first.atMs,
          isMinor: true,
          label: others.length > 0 ? `${others.length + 1} agents connected` : `${printable(first.name)} connected`,
        },
  );
  return [...ofReleases, ...ofAgents].toSorted((a, b) => a.atMs - b.atMs);
}
