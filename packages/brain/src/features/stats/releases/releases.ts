import { WriteBehind } from "../../../platform/coalescing/write-behind.ts";
import { days } from "../../../platform/durations.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { TimeRange } from "../time-range.ts";
import { noteReleases, releasesWithin } from "./releases-store.ts";

interface Note {
  readonly projectId: string;
  readonly release: string;
  firstMs: number;
  lastMs: number;
}

export interface ReleasesDeps {
  readonly database: Pick<BrainDatabase, "write">;
  onError(error: unknown): void;
}

const writeEveryMs = 1000;
const maxWaiting = 2000;
const maxRemembered = 20_000;
const rowsPerStatement = 200;
export const releasesPerProject = 1000;
/** How often a release is recorded as still in use. */
export const releaseNotedMs = days(1);

/**
 * The releases that tasks carry, each with the earliest time of an event that named it. Written after the commit of the events: nearly every
 * event names a known release, which costs one memory lookup; a lost one is seen again with the next event.
 */
export function createReleases({ database, onError }: ReleasesDeps) {
  const known = new Map<string, Note>();
  // Consecutive events mostly carry the same release.
  let last: Note | null = null;
  const notes = new WriteBehind<Note>({
    everyMs: writeEveryMs,
    maxKeys: maxWaiting,
    maxNotes: rowsPerStatement,
    write,
    onError,
  });

  async function write(some: Note[]): Promise<void> {
    const rows = some.map(({ projectId, release, firstMs, lastMs }) => ({
      project_id: projectId,
      release,
      first_seen_at: new Date(firstMs),
      noted_at: new Date(lastMs),
    }));
    await database.write((tx) => noteReleases(tx, rows, { perProject: releasesPerProject }));
    for (const note of some) remember(note);
  }

  function remember(note: Note): void {
    const key = keyOf(note);
    const before = known.get(key);
    if (before !== undefined) {
      before.firstMs = Math.min(before.firstMs, note.firstMs);
      before.lastMs = Math.max(before.lastMs, note.lastMs);
      return;
    }
    if (known.size >= maxRemembered) known.clear();
    known.set(key, note);
  }

  const isCovered = (note: Note | undefined | null, at: number): boolean =>
    note !== undefined && note !== null && at >= note.firstMs && at - note.lastMs < releaseNotedMs;

  return {
    /** A stored event of the project carried the release, at an instant in milliseconds. Never throws and never waits. */
    seen(projectId: string, release: string, at: number) {
      if (last !== null && last.release === release && last.projectId === projectId && isCovered(last, at)) return;
      const key = keyOf({ projectId, release });
      const before = known.get(key);
      if (before !== undefined && isCovered(before, at)) {
        last = before;
        return;
      }
      const note = notes.getOrCreate(key, () => ({ projectId, release, firstMs: at, lastMs: at }));
      if (note === undefined) return;
      note.firstMs = Math.min(note.firstMs, at);
      note.lastMs = Math.max(note.lastMs, at);
    },
    /** Writes what is pending now. */
    flush: () => notes.flush(),
    stop: () => notes.stop(),
  };
}

export type Releases = ReturnType<typeof createReleases>;

const keyOf = ({ projectId, release }: Pick<Note, "projectId" | "release">): string => `${projectId} ${release}`;

/** Maximum number of releases of one answer; the newest are shown. */
const maxShown = 200;

/** The releases of a project that were first seen in the range, in order of time: markers for charts. */
export async function readReleases({ read }: Pick<BrainDatabase, "read">, projectId: string, range: TimeRange) {
  const rows = await releasesWithin(read, projectId, range, maxShown);
  return { items: rows.reverse().map(({ release, first_seen_at }) => ({ release, first_seen: first_seen_at })) };
}
