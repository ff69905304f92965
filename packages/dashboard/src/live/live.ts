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

/** Heeds whether the page is looked at, the network is there and the server answers, until it is called off. */
export function heedWindow(): () => void {
  const retry = () => connection.retryNow();
  document.addEventListener("visibilitychange", applyPoll);
  addEventListener("online", retry);
  whenReached((reach) => connection.report(reach));
  return () => {
    document.removeEventListener("visibilitychange", applyPoll);
    removeEventListener("online", retry);
  };
}

/** How often a page that no stream serves reads again; the chip says so. */
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
];

/** Follows one project on the hub for as long as the component is shown. */
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

// Changes only with the mode itself, so that pages are not rendered on every message.
function pollState(): number | false {
  const facts = connection.facts();
  if (facts.isPaused) return false;
  return facts.isReady ? false : facts.pollMs;
}

const isPaused = (): boolean => connection.facts().isPaused;

/** How often a list must be read again: false while the stream pushes, or while everything is paused. */
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

/** Whether the stream has begun, or will not soon: a list that it pushes is read from then on, or would have to be read again. */
export function useIsStreamSettled(): boolean {
  return useSyncExternalStore(connection.watch, isSettled);
}

/** How often something is read that the stream does not push: false while everything is paused. */
export function useTimedMs(everyMs: number): number | false {
  return useIsPaused() ? false : everyMs;
}
