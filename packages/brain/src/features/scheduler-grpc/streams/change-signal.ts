import { Broadcast, type BroadcastDeps } from "../../../platform/broadcast.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { readProjects, readServerRevision, type StreamProject } from "./stream-reads.ts";

/** What all streams compare their state with. */
export interface ServerState {
  /** Number of the newest change. */
  readonly revision: number;
  /** All projects by id. */
  readonly projects: ReadonlyMap<string, StreamProject>;
}

export interface ChangeSignalDeps {
  readonly database: Pick<BrainDatabase, "read"> & BroadcastDeps["database"];
  readonly onError: (error: unknown) => void;
}

/**
 * Reads the state of the server for all streams of this process: when schedules changed, in any process, and at intervals. No more than one
 * read runs at a time, and any number of changes during it cause one more.
 */
export function createChangeSignal({ database, onError }: ChangeSignalDeps) {
  const others = new Broadcast<null>({ database, onError }, "svc_schedule_changed");
  const listeners = new Set<(state: ServerState) => void>();
  let reading: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function read(): Promise<void> {
    // In this order, the state contains the project of each change up to the revision.
    const revision = await readServerRevision(database.read);
    const projects = await readProjects(database.read);
    for (const listener of listeners) listener({ revision, projects });
  }

  /** Begins after this call. @throws the error of the database */
  function refresh(): Promise<void> {
    if (listeners.size === 0) return Promise.resolve();
    if (reading === null) {
      reading = read().finally(() => {
        reading = null;
      });
      return reading;
    }
    next ??= reading
      .catch(() => {})
      .then(() => {
        next = null;
        return refresh();
      });
    return next;
  }

  const refreshed = () => void refresh().catch(onError);

  return {
    /** Calls `listener` with each state that is read from now on, the first immediately; returns a function that stops it. */
    subscribe(listener: (state: ServerState) => void): () => void {
      listeners.add(listener);
      refreshed();
      return () => listeners.delete(listener);
    },
    refresh,
    /** After the commit of a change of schedules. */
    changed() {
      refreshed();
      void others.send([null]);
    },
    start: () => others.listen(refreshed, { onGap: refreshed }),
    stop: () => others.stop(),
  };
}

export type ChangeSignal = ReturnType<typeof createChangeSignal>;
