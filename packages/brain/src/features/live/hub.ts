import type { WebSocket } from "ws";
import type { Clock } from "../../platform/clock.ts";
import { minutes } from "../../platform/durations.ts";
import type { Role, SessionActor } from "../../platform/http/access/actor.ts";
import type { Log } from "../../platform/log.ts";
import { readChanges, type TopicReader } from "./read-changes.ts";
import { createSubscriber, hubCloseCodes, readClientFrame, type Subscriber } from "./subscriber.ts";
import type { LiveChange, Topic } from "./topics.ts";

export interface HubDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly readers: Partial<Record<Topic, TopicReader>>;
  /** The role in which this session may watch the project now, or why not. Asked on subscribe and every minute. */
  roleIn(actor: SessionActor, projectId: string): Promise<Role | "no_session" | "no_membership">;
  refetched(): void;
}

interface Due {
  readonly subscriber: Subscriber;
  readonly role: Role;
  readonly topic: Topic;
  readonly ids: readonly string[] | null;
}

const subscribeWithinMs = 10_000;
const idleMs = 90_000;
const recheckMs = minutes(1);
/** A check that failed is made again this soon. */
const recheckFailedMs = 5000;
const tickMs = 250;
const maxPerUser = 50;
const maxWaitingBytes = 1_048_576;
const maxWaitingFrames = 64;

/**
 * The dashboard hub: committed changes go to every subscriber of the project, coalesced to one frame per 250 ms and subscriber. Rows are
 * read when a frame is made, once for all subscribers of a project, topic and role, so that everyone sees the last state only.
 */
export function createHub({ clock, log, readers, roleIn, refetched }: HubDeps) {
  const subscribers = new Set<Subscriber>();
  const byProject = new Map<string, Set<Subscriber>>();
  /** How often roles may have changed: what was asked before the last time does not count. */
  let roleChanges = 0;
  let isTicking = false;
  const timer = setInterval(() => void tick(), tickMs);
  timer.unref();

  function leaveProject(subscriber: Subscriber): void {
    if (subscriber.projectId === null) return;
    const set = byProject.get(subscriber.projectId);
    set?.delete(subscriber);
    if (set?.size === 0) byProject.delete(subscriber.projectId);
    subscriber.projectId = null;
  }

  function send(subscriber: Subscriber, frame: unknown): void {
    const { socket } = subscriber;
    if (socket.readyState !== socket.OPEN) return;
    subscriber.waitingFrames += 1;
    socket.send(JSON.stringify(frame), () => {
      subscriber.waitingFrames -= 1;
    });
  }

  const isBehind = ({ socket, waitingFrames }: Subscriber): boolean =>
    waitingFrames >= maxWaitingFrames || socket.bufferedAmount > maxWaitingBytes;

  /** Puts the newest subscribe in force; those that came while one is checked are answered by the last of them. */
  async function subscribe(subscriber: Subscriber): Promise<void> {
    if (subscriber.isSubscribing) return;
    subscriber.isSubscribing = true;
    while (subscriber.wanted !== null) {
      const { projectId, topics } = subscriber.wanted;
      const changesBefore = roleChanges;
      const role = await roleIn(subscriber.actor, projectId);
      if (!subscribers.has(subscriber)) return;
      if (roleChanges !== changesBefore) continue;
      if (role === "no_session") return subscriber.socket.close(hubCloseCodes.noSession, "no session");
      if (role === "no_membership") return subscriber.socket.close(hubCloseCodes.originOrMembership, "not a member");
      if (subscriber.wanted.projectId === projectId && subscriber.wanted.topics === topics) {
        subscriber.wanted = null;
        enter(subscriber, projectId, role, topics);
      }
    }
    subscriber.isSubscribing = false;
  }

  function enter(subscriber: Subscriber, projectId: string, role: Role, topics: readonly Topic[]): void {
    const { pending } = subscriber;
    // What waits of the same project stays: a change is never lost without a word.
    if (subscriber.projectId === projectId) pending.keepOnly(new Set(topics));
    else pending.clear();
    leaveProject(subscriber);
    subscriber.projectId = projectId;
    subscriber.role = role;
    subscriber.topics = new Set(topics);
    subscriber.checkedMs = clock.monotonicMs();
    const set = byProject.get(projectId) ?? new Set();
    byProject.set(projectId, set.add(subscriber));
    send(subscriber, { type: "ready", topics });
  }

  async function recheck(subscriber: Subscriber): Promise<void> {
    const { projectId } = subscriber;
    if (projectId === null) return;
    const role = await roleIn(subscriber.actor, projectId);
    if (projectId !== subscriber.projectId) return;
    if (role === "no_session") subscriber.socket.close(hubCloseCodes.noSession, "no session");
    else if (role === "no_membership") subscriber.socket.close(hubCloseCodes.originOrMembership, "not a member");
    else subscriber.role = role;
  }

  /** The next tick looks at every session and role again. */
  function lookAgain(): void {
    roleChanges += 1;
    for (const subscriber of subscribers) subscriber.checkedMs = Number.NEGATIVE_INFINITY;
  }

  /** Closes who said nothing for too long, and looks at sessions and memberships again. */
  function watch(subscriber: Subscriber, nowMs: number): void {
    const silentMs = nowMs - subscriber.lastFrameMs;
    if (subscriber.projectId === null && nowMs - subscriber.connectedMs > subscribeWithinMs) {
      subscriber.socket.close(hubCloseCodes.badSubscribe, "no subscribe");
    } else if (silentMs > idleMs) {
      subscriber.socket.close(hubCloseCodes.idle, "idle");
    } else if (nowMs - subscriber.checkedMs > recheckMs) {
      subscriber.checkedMs = nowMs;
      void recheck(subscriber).catch((error: Error) => {
        subscriber.checkedMs = nowMs - recheckMs + recheckFailedMs;
        log.warn("live.recheck_failed", { message: error.message });
      });
    }
  }

  async function tick(): Promise<void> {
    const nowMs = clock.monotonicMs();
    for (const subscriber of subscribers) watch(subscriber, nowMs);
    if (isTicking) return;
    isTicking = true;
    try {
      for (const projectId of [...byProject.keys()]) await deliver(projectId);
    } finally {
      isTicking = false;
    }
  }

  /** One frame for every subscriber of the project that has news and is not behind. Never throws. */
  async function deliver(projectId: string): Promise<void> {
    const due: Due[] = [];
    for (const subscriber of byProject.get(projectId) ?? []) {
      if (subscriber.pending.isEmpty() || subscriber.role === null) continue;
      if (isBehind(subscriber)) {
        subscriber.pending.collapse();
        continue;
      }
      const next = subscriber.pending.take();
      if (next !== null) due.push({ subscriber, role: subscriber.role, ...next });
    }
    const news = await readChanges(readers, projectId, due);
    for (const { subscriber, role, topic, ids } of due) {
      if (subscriber.projectId !== projectId) continue;
      const { rows, counts, failure } = news(topic, role);
      if (failure !== null) {
        log.warn("live.read_failed", { topic, message: failure.message });
        // Told in the next round, when the database may be back: summarised, but not lost.
        if (subscriber.topics.has(topic)) subscriber.pending.add(topic, null);
      } else if (ids === null || rows === null) {
        refetched();
        send(subscriber, { type: "event", topic, refetch: true, ...(counts !== null && { counts }) });
      } else {
        send(subscriber, {
          type: "event",
          topic,
          rows: ids.flatMap((id) => rows.get(id) ?? []),
          removed: ids.filter((id) => !rows.has(id)),
          counts: counts ?? {},
        });
      }
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
        if (frame.type === "ping") {
          // Who does not read gets no further answers to keep.
          if (!isBehind(subscriber)) send(subscriber, { type: "pong" });
          return;
        }
        subscriber.wanted = frame;
        subscribe(subscriber).catch((error: Error) => {
          log.warn("live.subscribe_failed", { message: error.message });
          socket.close(1011, "internal error");
        });
      });
    },
    /** Notes a committed change for this process's subscribers. */
    changed({ projectId, topic, ids }: LiveChange): void {
      for (const subscriber of byProject.get(projectId) ?? []) {
        if (subscriber.topics.has(topic)) subscriber.pending.add(topic, ids);
      }
    },
    /**
     * Changes may have gone by unseen: every subscriber is told to fetch all its topics again, and the next tick looks at its session and
     * role, which may have ended unheard as well.
     */
    missedChanges(): void {
      lookAgain();
      for (const { projectId, topics, pending } of subscribers) {
        if (projectId !== null) for (const topic of topics) pending.add(topic, null);
      }
    },
    hasSubscribers: (projectId: string): boolean => byProject.has(projectId),
    sessionEnded: (sessionId: string): void =>
      closeWhere(({ actor }) => actor.sessionId === sessionId, hubCloseCodes.noSession, "session ended"),
    userEnded: (userId: string): void =>
      closeWhere(({ actor }) => actor.user.id === userId, hubCloseCodes.noSession, "sessions ended"),
    /** Somebody's role in some project changed: who is no member any more is closed with the next tick, the others get what their role sees. */
    rolesChanged: lookAgain,
    size: () => subscribers.size,
    stop(): void {
      clearInterval(timer);
      closeWhere(() => true, hubCloseCodes.shuttingDownOrTooMany, "shutting down");
    },
  };
}

export type Hub = ReturnType<typeof createHub>;
