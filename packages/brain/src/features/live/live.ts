import { Broadcast } from "../../platform/broadcast.ts";
import { WriteBehind } from "../../platform/coalescing/write-behind.ts";
import { createThrottledLog } from "../../platform/throttled-log.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { Hub, type HubDeps } from "./hub.ts";
import { createPendingChanges, type PendingChanges } from "./pending-changes.ts";
import { isTopic, type LiveChange } from "./topics.ts";

export interface LiveDeps extends HubDeps {
  readonly database: BrainDatabase;
  /** Maximum number of projects whose changes are kept separate until they are sent; 10 000 unless a test sets it. */
  readonly maxProjects?: number;
}

const idsPerNotice = 100;
const gatherMs = 200;
const projectsPerSend = 500;

/** Message to the other replicas: one project's change of a topic, or that everything may have changed. */
type Notice = LiveChange | { readonly isEverything: true };

interface Outgoing {
  readonly projectId: string;
  readonly pending: PendingChanges;
}

/** Publishes committed changes to this process's hub and, on the server database, to the hubs of the other replicas. */
export function createLive(deps: LiveDeps) {
  const { database, clock, log, maxProjects = 10_000 } = deps;
  const hub = new Hub(deps);
  const unsent = createThrottledLog(clock, (times, about) => log.warn("live.announce_failed", { times, ...about }));
  const others = new Broadcast<Notice>({ database, onError: ({ message }) => unsent({ message }) }, "svc_live");
  const outgoing = new WriteBehind<Outgoing>({
    everyMs: gatherMs,
    maxKeys: maxProjects,
    maxNotes: projectsPerSend,
    write: announce,
    onError: (error) => unsent({ message: (error as Error).message }),
  });
  /** More projects changed at once than are kept separate: every client fetches everything again. */
  let isOverfull = false;

  function keep({ projectId, topic, ids }: LiveChange): void {
    const kept = outgoing.getOrCreate(projectId, () => ({ projectId, pending: createPendingChanges() }));
    if (kept === undefined) isOverfull = true;
    else kept.pending.add(topic, ids);
  }

  /** Sends what was gathered. What may be lost is sent with the next round as a request to fetch again. */
  async function announce(round: readonly Outgoing[]): Promise<void> {
    const isEverything = isOverfull;
    isOverfull = false;
    const notices = round.flatMap(noticesOf);
    if (await others.send(isEverything ? [{ isEverything }] : notices)) return;
    if (isEverything) isOverfull = true;
    for (const notice of notices) keep({ ...notice, ids: null });
  }

  function receive(notice: Notice): void {
    if ("isEverything" in notice) hub.missedChanges();
    else if (isTopic(notice.topic)) hub.changed(notice);
  }

  return {
    hub,
    /** Notifies every hub of a committed change. Never throws, never waits. */
    publish(change: LiveChange): void {
      hub.changed(change);
      if (database.isShared) keep(change);
    },
    start: () => others.listen(receive, { onGap: () => hub.missedChanges() }),
    /** Sends what the other replicas have not received yet. Call it after the last change; the hub may be stopped before. */
    async stop(): Promise<void> {
      hub.stop();
      await outgoing.stop();
      await others.stop();
    },
  };
}

function noticesOf({ projectId, pending }: Outgoing): LiveChange[] {
  const notices: LiveChange[] = [];
  for (let next = pending.take(); next !== null; next = pending.take()) {
    const ids = next.ids !== null && next.ids.length <= idsPerNotice ? next.ids : null;
    notices.push({ projectId, topic: next.topic, ids });
  }
  return notices;
}

export type Live = ReturnType<typeof createLive>;
