import { type InfiniteData, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { api } from "../../api/api.ts";
import { useIsPaused } from "../../live/live.ts";
import { useMe } from "../sessions/index.ts";
import type { ActivitySearch } from "./audit-search.ts";
import { browserTabs } from "./exports/browser-tabs.ts";
import { type ActivityFollower, type Arrived, followActivity } from "./follow-activity.ts";

const nothing: Arrived = { rows: [], hasMore: false, failure: null };
const stay = () => () => {};
const pollRows = 100;

/** Rows newer than `from` as they arrive; null disables it. */
export function useArrived({ action, project }: ActivitySearch, from: string | null): Arrived & { retry: () => void } {
  const { id } = useMe();
  const isPaused = useIsPaused();
  const [follower, setFollower] = useState<ActivityFollower | null>(null);
  useEffect(() => {
    if (from === null) return;
    const started = followActivity(from, {
      // Polled by a timer, so it must not keep the session alive.
      read: (since, signal) =>
        api.listActivity(
          {
            limit: pollRows,
            ...(since && { since_cursor: since }),
            ...(project && { project_slug: project }),
            ...(action && { action_prefix: action }),
          },
          { signal, background: true },
        ),
      tabs: browserTabs(`svc.activity ${id} ${project ?? ""} ${action ?? ""}`),
      now: Date.now,
      after(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      isHidden: () => document.hidden,
    });
    setFollower(started);
    document.addEventListener("visibilitychange", started.visibilityChanged);
    return () => {
      document.removeEventListener("visibilitychange", started.visibilityChanged);
      started.end();
      setFollower(null);
    };
  }, [id, project, action, from]);
  useEffect(() => follower?.setPaused(isPaused), [follower, isPaused]);

  const get = () => follower?.get() ?? nothing;
  const arrived = useSyncExternalStore(follower?.subscribe ?? stay, get);
  return { ...arrived, retry: () => follower?.retry() };
}

/** Scrolls to the top of a list and reloads its first page. */
export function useShowNew(queryKey: QueryKey, refetch: () => unknown): () => void {
  const client = useQueryClient();
  return () => {
    client.setQueryData<InfiniteData<unknown, string>>(
      queryKey,
      (old) => old && { pages: old.pages.slice(0, 1), pageParams: [""] },
    );
    void refetch();
    document.getElementById("main")?.scrollTo({ top: 0 });
  };
}
