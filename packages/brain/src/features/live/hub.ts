import type { WebSocket } from "ws";
import type { Clock } from "../../platform/clock.ts";
import type { Role, SessionActor } from "../../platform/http/actor.ts";
import type { Log } from "../../platform/log.ts";
import { createSubscriber, hubCloseCodes, readClientFrame, type Subscriber } from "./subscriber.ts";
import type { Change, Topic } from "./topics.ts";

/** How the hub reads one topic: rows as the REST list would show them to this role, and the topic's counts. */
export interface TopicReader {
  rows(projectId: string, ids: readonly string[], role: Role): Promise<readonly { id: string }[]>;
  counts?(projectId: string): Promise<Record<string, number>>;
}

export interface HubDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly readers: Partial<Record<Topic, TopicReader>>;
  /** The role in which this session may watch the project now, or why not. Asked on subscribe and every minute. */
  roleIn(actor: SessionActor, projectId: string): Promise<Role | "no_session" | "no_membership">;
  refetched(): void;
}

const subscribeWithinMs = 10_000;
const idleMs = 90_000;
const recheckMs = 60_000;
const tickMs = 250;
const maxPerUser = 50;
const maxBufferedBytes = 1_048_576;

/**
 * The dashboard hub: committed changes go to every subscriber of the project, coalesced to one frame per 250 ms and subscriber. Rows are
 * read when a frame is made, once for all subscribers of a project, topic and role, so that everyone sees the last state only.
 */
export function createHub({ clock, log, readers, roleIn, refetched }: HubDeps) {
  const subscribers = new Set<Subscriber>();
  const byProject = new Map<string, Set<Subscriber>>();
  let isTicking = false;
  const timer = setInterval(() => void tick(), tickMs);
  timer.unref();

  function leaveProject(subscriber: Subscriber): void {
    if (subscriber.projectId === null) return;
    const set = byProject.get(subscriber.projectId);
    set?.delete(subscriber);
    if (set?.size === 0) byProject.delete(subscriber.projectId);
    subscriber.projectId = null;
    subscriber.pending.clear();
  }

  function send(subscriber: Subscriber, frame: unknown): void {
    if (subscriber.socket.readyState === subscriber.socket.OPEN) subscriber.socket.send(JSON.stringify(frame));
  }

  async function subscribe(subscriber: Subscriber, projectId: string, wanted: readonly Topic[]): Promise<void> {
    const role = await roleIn(subscriber.actor, projectId);
    if (role === "no_session") return subscriber.socket.close(hubCloseCodes.noSession, "no session");
    if (role === "no_membership") return subscriber.socket.close(hubCloseCodes.originOrMembership, "not a member");
    if (!subscribers.has(subscriber)) return;
    leaveProject(subscriber);
    subscriber.projectId = projectId;
    subscriber.role = role;
    subscriber.topics = new Set(wanted);
    subscriber.checkedMs = clock.monotonicMs();
    const set = byProject.get(projectId) ?? new Set();
    byProject.set(projectId, set.add(subscriber));
    send(subscriber, { type: "ready", topics: wanted });
  }

  async function recheck(subscriber: Subscriber): Promise<void> {
    const { projectId } = subscriber;
    if (projectId === null) return;
    const role = await roleIn(subscriber.actor, projectId);
    if (role === "no_session") subscriber.socket.close(hubCloseCodes.noSession, "no session");
    else if (role === "no_membership") subscriber.socket.close(hubCloseCodes.originOrMembership, "not a member");
    else subscriber.role = role;
  }

  /** Closes who said nothing for too long, and looks at sessions and memberships again. */
  function watch(subscriber: Subscriber, nowMs: number): void {
    const silentMs = nowMs - subscriber.lastFrameMs;
    if (subscriber.projectId === null && silentMs > subscribeWithinMs) {
      subscriber.socket.close(hubCloseCodes.badSubscribe, "no subscribe");
    } else if (silentMs > idleMs) {
      subscriber.socket.close(hubCloseCodes.idle, "idle");
    } else if (nowMs - subscriber.checkedMs > recheckMs) {
      subscriber.checkedMs = nowMs;
      void recheck(subscriber).catch((error: Error) => log.warn("live.recheck_failed", { message: error.message }));
    }
  }

  async function tick(): Promise<void> {
    const nowMs = clock.monotonicMs();
    for (const subscriber of subscribers) watch(subscriber, nowMs);
    if (isTicking) return;
    isTicking = true;
    try {
      for (const projectId of [...byProject.keys()]) await deliver(projectId);
    } catch (error) {
      log.warn("live.delivery_failed", { message: (error as Error).message });
    } finally {
      isTicking = false;
    }
  }

  /** One frame for every subscriber of the project that has news and is not behind. */
  async function deliver(projectId: string): Promise<void> {
    const due: { subscriber: Subscriber; role: Role; topic: Topic; ids: readonly string[] | null }[] = [];
    for (const subscriber of byProject.get(projectId) ?? []) {
      if (subscriber.pending.isEmpty() || subscriber.role === null) continue;
      if (subscriber.socket.bufferedAmount > maxBufferedBytes) {
        subscriber.pending.collapse();
        continue;
      }
      const next = subscriber.pending.take();
      if (next !== null) due.push({ subscriber, role: subscriber.role, ...next });
    }
    const reads = new Map<string, Promise<ReadonlyMap<string, { id: string }>>>();
    const counts = new Map<Topic, Promise<Record<string, number> | undefined>>();
    for (const { role, topic, ids } of due) {
      const reader = readers[topic];
      if (!counts.has(topic)) counts.set(topic, Promise.resolve(reader?.counts?.(projectId)));
      const key = `${topic} ${role}`;
      if (ids === null || reader === undefined || reads.has(key)) continue;
      const union = new Set(
        due.flatMap((other) => (other.topic === topic && other.role === role ? (other.ids ?? []) : [])),
      );
      reads.set(
        key,
        reader.rows(projectId, [...union], role).then((rows) => new Map(rows.map((row) => [row.id, row]))),
      );
    }
    for (const { subscriber, role, topic, ids } of due) {
      const known = await reads.get(`${topic} ${role}`);
      const topicCounts = await counts.get(topic);
      if (subscriber.projectId !== projectId) continue;
      if (ids === null || known === undefined) {
        refetched();
        send(subscriber, { type: "event", topic, refetch: true, ...(topicCounts && { counts: topicCounts }) });
        continue;
      }
      send(subscriber, {
        type: "event",
        topic,
        rows: ids.flatMap((id) => known.get(id) ?? []),
        removed: ids.filter((id) => !known.has(id)),
        counts: topicCounts ?? {},
      });
    }
  }

  function closeWhere(matches: (subscriber: Subscriber) => boolean, code: number, reason: string): void {
    for (const subscriber of subscribers) if (matches(subscriber)) subscriber.socket.close(code, reason);
  }

  return {
    /** Takes over an upgraded socket whose session and Origin were checked. */
    accept(socket: WebSocket, actor: SessionActor): void {
      let ofUser = 0;
      for (const other of subscribers) if (other.actor.user.id === actor.user.id) ofUser += 1;
      if (ofUser >= maxPerUser) {
        socket.close(hubCloseCodes.shuttingDownOrTooMany, "too many subscriptions");
        return;
      }
      const subscriber = createSubscriber(socket, actor, clock.monotonicMs());
      subscribers.add(subscriber);
      socket.on("error", (error) => log.debug("live.socket_error", { message: error.message }));
      socket.on("close", () => {
        leaveProject(subscriber);
        subscribers.delete(subscriber);
      });
      socket.on("message", (data: Buffer) => {
        subscriber.lastFrameMs = clock.monotonicMs();
        const frame = readClientFrame(data);
        if (frame === null) return socket.close(hubCloseCodes.badSubscribe, "bad frame");
        if (frame.type === "ping") return send(subscriber, { type: "pong" });
        subscribe(subscriber, frame.projectId, frame.topics).catch((error: Error) => {
          log.warn("live.subscribe_failed", { message: error.message });
          socket.close(1011, "internal error");
        });
      });
    },
    /** Notes a committed change for this process's subscribers. */
    changed({ projectId, topic, ids }: Change): void {
      for (const subscriber of byProject.get(projectId) ?? []) {
        if (subscriber.topics.has(topic)) subscriber.pending.add(topic, ids);
      }
    },
    hasSubscribers: (projectId: string): boolean => byProject.has(projectId),
    sessionEnded: (sessionId: string): void =>
      closeWhere(({ actor }) => actor.sessionId === sessionId, hubCloseCodes.noSession, "session ended"),
    userEnded: (userId: string): void =>
      closeWhere(({ actor }) => actor.user.id === userId, hubCloseCodes.noSession, "sessions ended"),
    memberRemoved: (userId: string, projectId: string): void =>
      closeWhere(
        (subscriber) => subscriber.actor.user.id === userId && subscriber.projectId === projectId,
        hubCloseCodes.originOrMembership,
        "no longer a member",
      ),
    size: () => subscribers.size,
    stop(): void {
      clearInterval(timer);
      closeWhere(() => true, hubCloseCodes.shuttingDownOrTooMany, "shutting down");
    },
  };
}

export type Hub = ReturnType<typeof createHub>;
