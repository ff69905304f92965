import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { noticeSignedOut } from "../../api/query-client.ts";
import { meQuery, useMe } from "../../features/sessions/index.ts";
import { serverTimeAt } from "../../live/server-clock.ts";
import { useNow } from "../../ui/time/ticker.ts";
import { type SessionEnd, sessionEnd, warnAheadMs } from "./session-end.ts";

/** How often the end is asked for while it is near: another tab may have moved it. */
const askEveryMs = 15_000;

/** The end of the session while it is near and the server has confirmed that; null otherwise. */
export function useNearEnd(): SessionEnd | null {
  const { session } = useMe();
  const { refetch, dataUpdatedAt } = useQuery(meQuery);
  const end = sessionEnd(session, serverTimeAt(useNow()));
  const isNear = end.leftMs <= warnAheadMs;
  const isOver = end.leftMs <= 0;
  // A read of somebody who is at work moves the end by itself, as any of theirs does; one that no hand is near does not.
  const ask = useEffectEvent(() => {
    void refetch().then(({ error }) => noticeSignedOut(error));
  });
  useEffect(() => {
    if (!isNear) return;
    ask();
    const timer = setInterval(ask, askEveryMs);
    return () => clearInterval(timer);
  }, [isNear]);
  useEffect(() => {
    if (isOver) ask();
  }, [isOver]);
  const wasNearWhenAsked = sessionEnd(session, serverTimeAt(dataUpdatedAt)).leftMs <= warnAheadMs + 1_000;
  return isNear && wasNearWhenAsked ? end : null;
}
