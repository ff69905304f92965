import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { createHub, type HubDeps } from "./hub.ts";
import { createPendingChanges, type PendingChanges } from "./pending-changes.ts";
import { type Change, isTopic } from "./topics.ts";

export interface LiveDeps extends HubDeps {
  readonly database: Database<Tables>;
  readonly log: Log;
  /** Names this process among the replicas. */
  readonly processId: string;
}

const channel = "svc_live";
const idsPerNotification = 100;
const gatherMs = 200;
const maxProjects = 10_000;

/** Publishes committed changes to this process's hub and, on the server database, to the hubs of the other replicas. */
export function createLive(deps: LiveDeps) {
  const { database, log, processId } = deps;
  const hub = createHub(deps);
  const outgoing = new Map<string, PendingChanges>();
  const isAlone = database.dialect === "sqlite";
  let timer: NodeJS.Timeout | null = null;
  let stopListening: (() => Promise<void>) | null = null;

  function announceSoon(change: Change): void {
    const known = outgoing.get(change.projectId);
    // More projects than this at once is no case for a live view; polling still shows them.
    if (known === undefined && outgoing.size >= maxProjects) return;
    const pending = known ?? createPendingChanges();
    pending.add(change.topic, change.ids);
    outgoing.set(change.projectId, pending);
    timer ??= setTimeout(announce, gatherMs);
  }

  function announce(): void {
    timer = null;
    for (const [projectId, pending] of outgoing) {
      for (let next = pending.take(); next !== null; next = pending.take()) {
        const ids = next.ids !== null && next.ids.length <= idsPerNotification ? next.ids : null;
        database
          .notify(channel, JSON.stringify({ from: processId, projectId, topic: next.topic, ids }))
          .catch((error: Error) => log.warn("live.announce_failed", { message: error.message }));
      }
    }
    outgoing.clear();
  }

  function heard(payload: string): void {
    const { from, ...change } = JSON.parse(payload) as Change & { from: string };
    if (from !== processId && isTopic(change.topic)) hub.changed(change);
  }

  return {
    hub,
    /** Tells every hub of a committed change. Never throws, never waits. */
    publish(change: Change): void {
      hub.changed(change);
      if (!isAlone) announceSoon(change);
    },
    async start(): Promise<void> {
      if (!isAlone) stopListening = await database.listen(channel, heard);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearTimeout(timer);
      hub.stop();
      await stopListening?.();
    },
  };
}

export type Live = ReturnType<typeof createLive>;
