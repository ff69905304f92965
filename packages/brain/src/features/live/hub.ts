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
  /** The role with which this session may watch the project now, or why it may not. Checked on subscribe and every minute. */
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
/** A failed check is repeated after this. */
const recheckFailedMs = 5000;
const tickMs = 250;
const maxPerUser = 50;
const maxWaitingBytes = 1_048_576;
const maxWaitingFrames = 64;

/**
 * The dashboard hub: committed changes go to every subscriber of the project, coalesced to one frame per 250 ms and subscriber. Rows are
 * read when a frame is built, once for all subscribers of a project, topic and role, so that each sees only the last state.
 */
export class Hub {
  readonly #deps: HubDeps;
  readonly #subscribers = new Set<Subscriber>();
  readonly #byProject = new Map<string, Set<Subscriber>>();
  /** Counts possible role changes: a role that was read before the last one is not used. */
  #roleChanges = 0;
  #isTicking = false;
  readonly #timer: NodeJS.Timeout;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** Accepts an upgraded socket whose session and Origin were checked. */
  accept(socket: WebSocket, actor: SessionActor): void {
    let ofUser = 0;
    for (const other of this.#subscribers) if (other.actor.user.id === actor.user.id) ofUser += 1;
    if (ofUser >= maxPerUser) {
      socket.close(hubCloseCodes.shuttingDownOrTooMany, "too many subscriptions");
      return;
    }
    const subscriber = createSubscriber(socket, actor, this.#deps.clock.monotonicMs());
    this.#subscribers.add(subscriber);
    socket.on("error", (error) => this.#deps.log.debug("live.socket_error", { message: error.message }));
    socket.on("close", () => {
      this.#leaveProject(subscriber);
      this.#subscribers.delete(subscriber);
    });
    socket.on("ping", (data) => {
      if (!isBehind(subscriber)) socket.pong(data);
    });
    socket.on("message", (data: Buffer) => {
      subscriber.lastFrameMs = this.#deps.clock.monotonicMs();
      const frame = readClientFrame(data);
      if (frame === null) return socket.close(hubCloseCodes.badSubscribe, "bad frame");
      if (frame.type === "ping") {
        // A client that does not read gets no more answers, which would pile up.
        if (!isBehind(subscriber)) this.#send(subscriber, { type: "pong" });
        return;
      }
      subscriber.wanted = frame;
      this.#subscribe(subscriber).catch((error: Error) => {
        this.#deps.log.warn("live.subscribe_failed", { message: error.message });
        socket.close(1011, "internal error");
      });
    });
  }

  /** Records a committed change for this process's subscribers. */
  changed({ projectId, topic, ids }: LiveChange): void {
    for (const subscriber of this.#byProject.get(projectId) ?? []) {
      if (subscriber.topics.has(topic)) subscriber.pending.add(topic, ids);
    }
  }

  /**
   * Change events may be lost: every subscriber has to fetch all its topics again, and the next tick checks its session and role, whose end
   * may be lost too.
   */
  missedChanges(): void {
    this.rolesChanged();
    for (const { projectId, topics, pending } of this.#subscribers) {
      if (projectId !== null) for (const topic of topics) pending.add(topic, null);
    }
  }

  hasSubscribers(projectId: string): boolean {
    return this.#byProject.has(projectId);
  }

  sessionEnded(sessionId: string): void {
    this.#closeWhere(({ actor }) => actor.sessionId === sessionId, hubCloseCodes.noSession, "session ended");
  }

  userEnded(userId: string): void {
    this.#closeWhere(({ actor }) => actor.user.id === userId, hubCloseCodes.noSession, "sessions ended");
  }

  /** A role in some project changed. The next tick closes users who are no longer members and updates the role of the others. */
  rolesChanged(): void {
    this.#roleChanges += 1;
    for (const subscriber of this.#subscribers) subscriber.checkedMs = Number.NEGATIVE_INFINITY;
  }

  size(): number {
    return this.#subscribers.size;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#closeWhere(() => true, hubCloseCodes.shuttingDownOrTooMany, "shutting down");
  }

  #leaveProject(subscriber: Subscriber): void {
    if (subscriber.projectId === null) return;
    const set = this.#byProject.get(subscriber.projectId);
    set?.delete(subscriber);
    if (set?.size === 0) this.#byProject.delete(subscriber.projectId);
    subscriber.projectId = null;
  }

  #send(subscriber: Subscriber, frame: unknown): void {
    const { socket } = subscriber;
    if (socket.readyState !== socket.OPEN) return;
    subscriber.waitingFrames += 1;
    socket.send(JSON.stringify(frame), () => {
      subscriber.waitingFrames -= 1;
    });
  }

  /** Applies the newest subscribe; those that arrive during a check are answered by the last of them. */
  async #subscribe(subscriber: Subscriber): Promise<void> {
    if (subscriber.isSubscribing) return;
    subscriber.isSubscribing = true;
    while (subscriber.wanted !== null) {
      const { projectId, topics } = subscriber.wanted;
      const changesBefore = this.#roleChanges;
      const role = await this.#deps.roleIn(subscriber.actor, projectId);
      if (!this.#subscribers.has(subscriber)) return;
      if (this.#roleChanges !== changesBefore) continue;
      if (role === "no_session") return subscriber.socket.close(hubCloseCodes.noSession, "no session");
      if (role === "no_membership") return subscriber.socket.close(hubCloseCodes.originOrMembership, "not a member");
      if (subscriber.wanted.projectId === projectId && subscriber.wanted.topics === topics) {
        subscriber.wanted = null;
        this.#enter(subscriber, projectId, role, topics);
      }
    }
    subscriber.isSubscribing = false;
  }

  #enter(subscriber: Subscriber, projectId: string, role: Role, topics: readonly Topic[]): void {
    const { pending } = subscriber;
    // Pending changes of the same project are kept: a change is never lost silently.
    if (subscriber.projectId === projectId) pending.keepOnly(new Set(topics));
    else pending.clear();
    this.#leaveProject(subscriber);
    subscriber.projectId = projectId;
    subscriber.role = role;
    subscriber.topics = new Set(topics);
    subscriber.checkedMs = this.#deps.clock.monotonicMs();
    const set = this.#byProject.get(projectId) ?? new Set();
    this.#byProject.set(projectId, set.add(subscriber));
    this.#send(subscriber, { type: "ready", topics });
  }

  async #recheck(subscriber: Subscriber): Promise<void> {
    const { projectId } = subscriber;
    if (projectId === null) return;
    const role = await this.#deps.roleIn(subscriber.actor, projectId);
    if (projectId !== subscriber.projectId) return;
    if (role === "no_session") subscriber.socket.close(hubCloseCodes.noSession, "no session");
    else if (role === "no_membership") subscriber.socket.close(hubCloseCodes.originOrMembership, "not a member");
    else subscriber.role = role;
  }

  /** Closes clients that were silent for too long, and re-checks sessions and memberships. */
  #watch(subscriber: Subscriber, nowMs: number): void {
    const silentMs = nowMs - subscriber.lastFrameMs;
    if (subscriber.projectId === null && nowMs - subscriber.connectedMs > subscribeWithinMs) {
      subscriber.socket.close(hubCloseCodes.badSubscribe, "no subscribe");
    } else if (silentMs > idleMs) {
      subscriber.socket.close(hubCloseCodes.idle, "idle");
    } else if (nowMs - subscriber.checkedMs > recheckMs) {
      subscriber.checkedMs = nowMs;
      void this.#recheck(subscriber).catch((error: Error) => {
        subscriber.checkedMs = nowMs - recheckMs + recheckFailedMs;
        this.#deps.log.warn("live.recheck_failed", { message: error.message });
      });
    }
  }

  async #tick(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const subscriber of this.#subscribers) this.#watch(subscriber, nowMs);
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      for (const projectId of [...this.#byProject.keys()]) await this.#deliver(projectId);
    } finally {
      this.#isTicking = false;
    }
  }

  /** One frame for every subscriber of the project that has pending changes and keeps up. Never throws. */
  async #deliver(projectId: string): Promise<void> {
    const due: Due[] = [];
    for (const subscriber of this.#byProject.get(projectId) ?? []) {
      if (subscriber.pending.isEmpty() || subscriber.role === null) continue;
      if (isBehind(subscriber)) {
        subscriber.pending.collapse();
        continue;
      }
      const next = subscriber.pending.take();
      if (next !== null) due.push({ subscriber, role: subscriber.role, ...next });
    }
    const changesOf = await readChanges(this.#deps.readers, projectId, due);
    for (const { subscriber, role, topic, ids } of due) {
      if (subscriber.projectId !== projectId) continue;
      const { rows, counts, failure } = changesOf(topic, role);
      if (failure !== null) {
        this.#deps.log.warn("live.read_failed", { topic, message: failure.message });
        // Sent in the next round, when the database may be back: summarised, but not lost.
        if (subscriber.topics.has(topic)) subscriber.pending.add(topic, null);
      } else if (ids === null || rows === null) {
        this.#deps.refetched();
        this.#send(subscriber, { type: "event", topic, refetch: true, ...(counts !== null && { counts }) });
      } else {
        this.#send(subscriber, {
          type: "event",
          topic,
          rows: ids.flatMap((id) => rows.get(id) ?? []),
          removed: ids.filter((id) => !rows.has(id)),
          counts: counts ?? {},
        });
      }
    }
  }

  #closeWhere(matches: (subscriber: Subscriber) => boolean, code: number, reason: string): void {
    for (const subscriber of this.#subscribers) if (matches(subscriber)) subscriber.socket.close(code, reason);
  }
}

const isBehind = ({ socket, waitingFrames }: Subscriber): boolean =>
  waitingFrames >= maxWaitingFrames || socket.bufferedAmount > maxWaitingBytes;
