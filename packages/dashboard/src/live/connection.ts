import type { HubEvent, HubTopic } from "@svc/client";

// The connection to the dashboard hub, without React. Timers, sockets and the clock come in through `Surroundings`, so that tests
// control them.
// Its chip must be accurate: `live` only while the stream was active within two ping intervals, `polling` only while reads are answered,
// `stale` when neither is true, `offline` when the server does not answer at all.

export type Mode = "connecting" | "live" | "polling" | "stale" | "offline" | "paused";

export interface SocketLike {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Surroundings {
  openSocket(): SocketLike;
  now(): number;
  /** Returns a function that cancels. */
  after(ms: number, run: () => void): () => void;
  /** 0 to 1, for the jitter of reconnects. */
  random(): number;
}

export interface Facts {
  isReady: boolean;
  isPaused: boolean;
  /** When the last message arrived on the stream. */
  lastMessageAt: number | null;
  /** When a read was last answered by the server. */
  lastAnswerAt: number | null;
  isUnreachable: boolean;
  retryAt: number | null;
  pollMs: number;
}

export const pingMs = 25_000;
/** Ping timeout: the peer may disappear without closing the connection. */
export const pongMs = 10_000;
export const visiblePollMs = 5_000;
export const hiddenPollMs = 30_000;
const maxRetryMs = 30_000;

/** The mode to show at `now`. */
export function modeAt(facts: Facts, now: number): Mode {
  if (facts.isPaused) return "paused";
  if (facts.isReady && facts.lastMessageAt !== null) {
    return now - facts.lastMessageAt <= pingMs + pongMs ? "live" : "stale";
  }
  if (facts.isUnreachable) return "offline";
  if (facts.lastAnswerAt === null) return "connecting";
  return now - facts.lastAnswerAt <= facts.pollMs * 3 ? "polling" : "stale";
}

/** When the server was last in contact: a push, or the answer to a read. */
export function lastContactAt({ lastMessageAt, lastAnswerAt }: Facts): number | null {
  const latest = Math.max(lastMessageAt ?? 0, lastAnswerAt ?? 0);
  return latest === 0 ? null : latest;
}

export type HubListener = (event: HubEvent) => void;

export class HubConnection {
  #around: Surroundings;
  #facts: Facts = {
    isReady: false,
    isPaused: false,
    lastMessageAt: null,
    lastAnswerAt: null,
    isUnreachable: false,
    retryAt: null,
    pollMs: visiblePollMs,
  };
  #followed: { projectId: string; topics: HubTopic[] } | null = null;
  #socket: SocketLike | null = null;
  #failures = 0;
  #cancelRetry: (() => void) | null = null;
  #cancelPing: (() => void) | null = null;
  #watchers = new Set<() => void>();
  #listeners = new Set<HubListener>();
  #resumed = new Set<() => void>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  facts = (): Facts => this.#facts;

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Events of the followed project. */
  listen(listener: HubListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs when the stream opens, also after a gap or a pause: data on screen may have changed in between. */
  onResume(run: () => void): () => void {
    this.#resumed.add(run);
    return () => this.#resumed.delete(run);
  }

  /** One project per socket; null leaves the hub. */
  follow(projectId: string | null, topics: HubTopic[] = []): void {
    if (this.#followed?.projectId === projectId) return;
    this.#followed = projectId === null ? null : { projectId, topics };
    if (!this.#followed) {
      this.#disconnect();
      this.#change({ isReady: false, retryAt: null, lastMessageAt: null });
    } else if (this.#socket && this.#facts.isReady) this.#subscribe();
    else this.#connect();
  }

  /** How a read ended; see `Outcome` of the client. */
  report(reach: "answered" | "unreachable"): void {
    if (reach === "answered") this.#change({ lastAnswerAt: this.#around.now(), isUnreachable: false });
    else this.#change({ isUnreachable: true });
  }

  setPollMs(pollMs: number): void {
    if (this.#facts.pollMs !== pollMs) this.#change({ pollMs });
  }

  setPaused(isPaused: boolean): void {
    if (this.#facts.isPaused === isPaused) return;
    if (isPaused) {
      this.#disconnect();
      this.#change({ isPaused: true, isReady: false, retryAt: null });
      return;
    }
    this.#change({ isPaused: false });
    this.#connect();
    for (const run of [...this.#resumed]) run();
  }

  retryNow(): void {
    if (this.#facts.isReady) return;
    this.#drop();
    this.#connect();
  }

  #change(part: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...part };
    for (const watcher of [...this.#watchers]) watcher();
  }

  #connect(): void {
    this.#stopRetry();
    if (!this.#followed || this.#facts.isPaused || this.#socket) return;
    const opened = this.#around.openSocket();
    this.#socket = opened;
    opened.onopen = () => this.#subscribe();
    opened.onmessage = ({ data }) => {
      if (this.#socket === opened) this.#receive(data);
    };
    opened.onclose = ({ code }) => {
      if (this.#socket === opened) this.#closed(code);
    };
    this.#change({ retryAt: null });
  }

  #subscribe(): void {
    if (!this.#followed) return;
    const { projectId, topics } = this.#followed;
    this.#socket?.send(JSON.stringify({ type: "subscribe", project_id: projectId, topics }));
  }

  #receive(data: unknown): void {
    const message = readMessage(data);
    if (!message) return;
    if (message.type === "ready" && !this.#facts.isReady) {
      this.#failures = 0;
      this.#change({ isReady: true, isUnreachable: false, lastMessageAt: this.#around.now() });
      this.#schedulePing();
      // Changes between the page's own reads and this moment were not pushed.
      for (const run of [...this.#resumed]) run();
      return;
    }
    this.#change({ lastMessageAt: this.#around.now() });
    if (message.type === "event") {
      for (const listener of [...this.#listeners]) listener(message as unknown as HubEvent);
    }
  }

  #schedulePing(): void {
    this.#cancelPing?.();
    this.#cancelPing = this.#around.after(pingMs, () => {
      const askedAt = this.#around.now();
      this.#socket?.send('{"type":"ping"}');
      this.#cancelPing = this.#around.after(pongMs, () => {
        if ((this.#facts.lastMessageAt ?? 0) < askedAt) this.#closed(1006);
        else this.#schedulePing();
      });
    });
  }

  #closed(code: number): void {
    this.#drop();
    this.#failures += 1;
    // 4401 and 4403 concern this session or project: reads report it, and reconnecting soon does not help.
    const isRefused = code === 4401 || code === 4403;
    const base = isRefused ? maxRetryMs : Math.min(maxRetryMs, 1000 * 2 ** Math.min(this.#failures - 1, 5));
    const waitMs = Math.round(base * (0.75 + this.#around.random() * 0.5));
    this.#change({ isReady: false, retryAt: this.#around.now() + waitMs });
    this.#cancelRetry = this.#around.after(waitMs, () => this.#connect());
  }

  /** Stays disconnected until it is asked to connect again. */
  #disconnect(): void {
    this.#drop();
    this.#stopRetry();
  }

  #stopRetry(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  #drop(): void {
    this.#cancelPing?.();
    this.#cancelPing = null;
    const old = this.#socket;
    this.#socket = null;
    if (!old) return;
    old.onopen = null;
    old.onmessage = null;
    old.onclose = null;
    old.close();
  }
}

function readMessage(data: unknown): { type: string } | null {
  if (typeof data !== "string") return null;
  try {
    const message: unknown = JSON.parse(data);
    if (typeof message !== "object" || message === null || !("type" in message)) return null;
    return typeof message.type === "string" ? (message as { type: string }) : null;
  } catch {
    return null;
  }
}
