import type { HubTopic } from "@svc/client";
import { useEffect, useSyncExternalStore } from "react";
import { whenReached } from "../api/api.ts";
import { useNow } from "../ui/time/ticker.ts";
import { HubConnection, hiddenPollMs, type Mode, modeAt, type SocketLike, visiblePollMs } from "./connection.ts";

export const connection = new HubConnection({
  openSocket: () =>
    new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/dashboard`) as SocketLike,
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
});

let visibleMs = visiblePollMs;
const applyPoll = () => connection.setPollMs(document.hidden ? hiddenPollMs : visibleMs);

/** Observes page visibility, network state and server responses. Returns a function that stops it. */
export function watchWindow(): () => void {
  const retry = () => connection.retryNow();
  document.addEventListener("visibilitychange", applyPoll);
  addEventListener("online", retry);
  whenReached((reach) => connection.report(reach));
  return () => {
    document.removeEventListener("visibilitychange", applyPoll);
    removeEventListener("online", retry);
  };
}

/** Sets the polling interval of a page without a stream; the chip shows it. */
export function useVisiblePoll(pollMs: number): void {
  useEffect(() => {
    visibleMs = pollMs;
    applyPoll();
    return () => {
      visibleMs = visiblePollMs;
      applyPoll();
    };
  }, [pollMs]);
}

const followedTopics: HubTopic[] = [
  "task.changed",
  "agent.changed",
  "worker.changed",
  "queue.changed",
  "command.changed",
  "schedule.changed",
];

/** Subscribes to a project on the hub while the component is mounted. */
export function useFollowProject(projectId: string | null): void {
  useEffect(() => {
    connection.follow(projectId, followedTopics);
    return () => connection.follow(null);
  }, [projectId]);
}

export function useConnection(): { mode: Mode; now: number; facts: ReturnType<typeof connection.facts> } {
  const facts = useSyncExternalStore(connection.watch, connection.facts);
  const now = useNow();
  return { mode: modeAt(facts, now), now, facts };
}

// Changes only with the mode, so that pages don't re-render on every message.
function pollState(): number | false {
  const facts = connection.facts();
  if (facts.isPaused) return false;
  return facts.isReady ? false : facts.pollMs;
}

const isPaused = (): boolean => connection.facts().isPaused;

/** The polling interval of a list: false while the stream pushes, or while updates are paused. */
export function usePollMs(): number | false {
  return useSyncExternalStore(connection.watch, pollState);
}

export function useIsPaused(): boolean {
  return useSyncExternalStore(connection.watch, isPaused);
}

const isSettled = (): boolean => {
  const { isReady, retryAt, isPaused, isUnreachable } = connection.facts();
  return isReady || retryAt !== null || isPaused || isUnreachable;
};

/** Whether the stream has opened, or won't soon. Lists that it pushes are read only then, to avoid a second read. */
export function useIsStreamSettled(): boolean {
  return useSyncExternalStore(connection.watch, isSettled);
}

/** The polling interval of data that the stream does not push: false while updates are paused. */
export function useTimedMs(everyMs: number): number | false {
  return useIsPaused() ? false : everyMs;
}
