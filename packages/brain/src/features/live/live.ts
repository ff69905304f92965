import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { createHub, type HubDeps } from "./hub.ts";
import { createPendingChanges, type PendingChanges } from "./pending-changes.ts";
import { isTopic, type LiveChange } from "./topics.ts";

export interface LiveDeps extends HubDeps {
  readonly database: Database<Tables>;
  readonly log: Log;
  /** Names this process among the replicas. */
  readonly processId: string;
  /** Projects whose changes are kept apart until they go out; 10 000 unless a test says otherwise. */
  readonly maxProjects?: number;
}

const channel = "svc_live";
const idsPerNotification = 100;
const gatherMs = 200;
const retryMs = 2000;
const sentAtOnce = 8;

/** What goes to the other replicas: one project's change of a topic, or that everything may have changed. */
type Notice = LiveChange | { readonly isEverything: true };

/** Publishes committed changes to this process's hub and, on the server database, to the hubs of the other replicas. */
export function createLive(deps: LiveDeps) {
  const { database, log, processId, maxProjects = 10_000 } = deps;
  const hub = createHub(deps);
  let outgoing = new Map<string, PendingChanges>();
  /** More projects changed at once than are kept apart: everyone fetches everything again. */
  let isOverfull = false;
  const isAlone = !database.isShared;
  let timer: NodeJS.Timeout | null = null;
  let announcing: Promise<void> = Promise.resolve();
  let isStopped = false;
  let stopListening: (() => Promise<void>) | null = null;

  function keep({ projectId, topic, ids }: LiveChange): void {
    const known = outgoing.get(projectId);
    if (known === undefined && outgoing.size >= maxProjects) {
      isOverfull = true;
      return;
    }
    const pending = known ?? createPendingChanges();
    pending.add(topic, ids);
    outgoing.set(projectId, pending);
  }

  function announceIn(ms: number): void {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      announcing = announce();
    }, ms);
  }

  /** What goes out now, taken out of what is kept. */
  function takeNotices(): Notice[] {
    const round = outgoing;
    outgoing = new Map();
    if (isOverfull) {
      isOverfull = false;
      return [{ isEverything: true }];
    }
    const notices: Notice[] = [];
    for (const [projectId, pending] of round) {
      for (let next = pending.take(); next !== null; next = pending.take()) {
        const ids = next.ids !== null && next.ids.length <= idsPerNotification ? next.ids : null;
        notices.push({ projectId, topic: next.topic, ids });
      }
    }
    return notices;
  }

  /** Sends what was gathered. What cannot be sent goes out later as a request to fetch again. Never throws. */
  async function announce(): Promise<void> {
    const notices = takeNotices();
    let failure: Error | null = null;
    for (let first = 0; first < notices.length; first += sentAtOnce) {
      const batch = notices.slice(first, first + sentAtOnce);
      // Once one has failed the rest waits too: one line per round says enough.
      const sent = failure === null ? await Promise.allSettled(batch.map(tell)) : [];
      for (const [index, notice] of batch.entries()) {
        const outcome = sent[index];
        if (outcome?.status === "fulfilled") continue;
        if (outcome !== undefined) failure ??= outcome.reason as Error;
        if ("isEverything" in notice) isOverfull = true;
        else keep({ ...notice, ids: null });
      }
    }
    if (failure !== null) log.warn("live.announce_failed", { message: failure.message });
    timer = null;
    if (outgoing.size > 0 || isOverfull) announceIn(failure === null ? gatherMs : retryMs);
  }

  const tell = (notice: Notice): Promise<void> =>
    database.notify(channel, JSON.stringify({ from: processId, ...notice }));

  function heard(payload: string): void {
    const { from, ...notice } = JSON.parse(payload) as Notice & { from: string };
    if (from === processId) return;
    if ("isEverything" in notice) hub.missedChanges();
    else if (isTopic(notice.topic)) hub.changed(notice);
  }

  return {
    hub,
    /** Tells every hub of a committed change. Never throws, never waits. */
    publish(change: LiveChange): void {
      hub.changed(change);
      if (isAlone) return;
      keep(change);
      announceIn(gatherMs);
    },
    async start(): Promise<void> {
      if (!isAlone) stopListening = await database.listen(channel, heard, { onGap: hub.missedChanges });
    },
    /** Sends what the other replicas have not been told yet. To be called after the last change; the hub may be stopped before. */
    async stop(): Promise<void> {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      hub.stop();
      await announcing;
      await announce();
      await stopListening?.();
    },
  };
}

export type Live = ReturnType<typeof createLive>;
