import type { HubEvent, HubTopic } from "@svc/client";

// The connection to the dashboard hub, without React and without timers of its own making: everything it touches comes
// in through `Surroundings`, so that its life can be walked through in a test.
//
// Its chip must be honest: `live` is said only while the stream itself has spoken within two ping intervals, `polling`
// only while reads are answered, `stale` when neither is true any more, `offline` when the server does not answer at all.

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
  /** When the stream last said anything. */
  lastMessageAt: number | null;
  /** When a read was last answered by the server. */
  lastAnswerAt: number | null;
  isUnreachable: boolean;
  retryAt: number | null;
  pollMs: number;
}

export const pingMs = 25_000;
/** A hub that says nothing for this long after a ping is gone: the other end of a connection can vanish without a word. */
export const pongMs = 10_000;
export const visiblePollMs = 5_000;
export const hiddenPollMs = 30_000;
const maxRetryMs = 30_000;

/** What the chip says at `now`. */
export function modeAt(facts: Facts, now: number): Mode {
  if (facts.isPaused) return "paused";
  if (facts.isReady && facts.lastMessageAt !== null) {
    return now - facts.lastMessageAt <= pingMs + pongMs ? "live" : "stale";
  }
  if (facts.isUnreachable) return "offline";
  if (facts.lastAnswerAt === null) return "connecting";
  return now - facts.lastAnswerAt <= facts.pollMs * 3 ? "polling" : "stale";
}

/** When anything was last heard from the server: a push, or the answer to a read. */
export function heardAt({ lastMessageAt, lastAnswerAt }: Facts): number | null {
  const heard = Math.max(lastMessageAt ?? 0, lastAnswerAt ?? 0);
  return heard === 0 ? null : heard;
}

export type HubListener = (event: HubEvent) => void;

export function createConnection(around: Surroundings) {
  let facts: Facts = {
    isReady: false,
    isPaused: false,
    lastMessageAt: null,
    lastAnswerAt: null,
    isUnreachable: false,
    retryAt: null,
    pollMs: visiblePollMs,
  };
  let followed: { projectId: string; topics: HubTopic[] } | null = null;
  let socket: SocketLike | null = null;
  let failures = 0;
  let cancelRetry: (() => void) | null = null;
  let cancelPing: (() => void) | null = null;
  const watchers = new Set<() => void>();
  const listeners = new Set<HubListener>();
  const resumed = new Set<() => void>();

  function change(part: Partial<Facts>): void {
    facts = { ...facts, ...part };
    for (const watcher of [...watchers]) watcher();
  }

  function connect(): void {
    cancelRetry?.();
    cancelRetry = null;
    if (!followed || facts.isPaused || socket) return;
    const opened = around.openSocket();
    socket = opened;
    opened.onopen = subscribe;
    opened.onmessage = ({ data }) => {
      if (socket === opened) receive(data);
    };
    opened.onclose = ({ code }) => {
      if (socket === opened) closed(code);
    };
    change({ retryAt: null });
  }

  function subscribe(): void {
    if (!followed) return;
    socket?.send(JSON.stringify({ type: "subscribe", project_id: followed.projectId, topics: followed.topics }));
  }

  function receive(data: unknown): void {
    const message = readMessage(data);
    if (!message) return;
    const isFirst = message.type === "ready" && !facts.isReady;
    if (isFirst) {
      failures = 0;
      change({ isReady: true, isUnreachable: false, lastMessageAt: around.now() });
      schedulePing();
      // What happened between the page's own reads and this moment was pushed to nobody.
      for (const run of [...resumed]) run();
      return;
    }
    change({ lastMessageAt: around.now() });
    if (message.type === "event") for (const listener of [...listeners]) listener(message as unknown as HubEvent);
  }

  function schedulePing(): void {
    cancelPing?.();
    cancelPing = around.after(pingMs, () => {
      const askedAt = around.now();
      socket?.send('{"type":"ping"}');
      cancelPing = around.after(pongMs, () => {
        if ((facts.lastMessageAt ?? 0) < askedAt) closed(1006);
        else schedulePing();
      });
    });
  }

  function closed(code: number): void {
    drop();
    failures += 1;
    // 4401 and 4403 mean this session or project: reads will say so, and asking again soon cannot help.
    const isRefused = code === 4401 || code === 4403;
    const base = isRefused ? maxRetryMs : Math.min(maxRetryMs, 1000 * 2 ** Math.min(failures - 1, 5));
    const waitMs = Math.round(base * (0.75 + around.random() * 0.5));
    change({ isReady: false, retryAt: around.now() + waitMs });
    cancelRetry = around.after(waitMs, connect);
  }

  function drop(): void {
    cancelPing?.();
    cancelPing = null;
    const old = socket;
    socket = null;
    if (!old) return;
    old.onopen = null;
    old.onmessage = null;
    old.onclose = null;
    old.close();
  }

  return {
    facts: () => facts,
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    /** Events of the followed project. */
    listen(listener: HubListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Runs when the stream begins, also again after a gap or a pause: what is on screen may have changed unseen. */
    onResume(run: () => void): () => void {
      resumed.add(run);
      return () => resumed.delete(run);
    },
    /** One project per socket; null leaves the hub. */
    follow(projectId: string | null, topics: HubTopic[] = []): void {
      if (followed?.projectId === projectId) return;
      followed = projectId === null ? null : { projectId, topics };
      if (!followed) {
        drop();
        cancelRetry?.();
        cancelRetry = null;
        change({ isReady: false, retryAt: null, lastMessageAt: null });
      } else if (socket && facts.isReady) subscribe();
      else connect();
    },
    /** Tells it how a read went; see `Outcome` of the client. */
    report(reach: "answered" | "unreachable"): void {
      if (reach === "answered") change({ lastAnswerAt: around.now(), isUnreachable: false });
      else change({ isUnreachable: true });
    },
    setPollMs(pollMs: number): void {
      if (facts.pollMs !== pollMs) change({ pollMs });
    },
    setPaused(isPaused: boolean): void {
      if (facts.isPaused === isPaused) return;
      if (isPaused) {
        drop();
        cancelRetry?.();
        cancelRetry = null;
        change({ isPaused: true, isReady: false, retryAt: null });
        return;
      }
      change({ isPaused: false });
      connect();
      for (const run of [...resumed]) run();
    },
    retryNow(): void {
      if (!facts.isReady) {
        drop();
        connect();
      }
    },
  };
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
