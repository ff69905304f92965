import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { noticeSignedOut } from "../../api/query-client.ts";
import { meQuery, useMe } from "../../features/sessions/index.ts";
import { serverTimeAt } from "../../live/server-clock.ts";
import { useNow } from "../../ui/time/ticker.ts";
import { type SessionEnd, sessionEnd, warnAheadMs } from "./session-end.ts";

/** How often the session is re-read near its end: another tab may have extended it. */
const checkEveryMs = 15_000;

/** The end of the session, once it is near and confirmed by the server; null otherwise. */
export function useNearEnd(): SessionEnd | null {
  const { session } = useMe();
  const { refetch, dataUpdatedAt } = useQuery(meQuery);
  const end = sessionEnd(session, serverTimeAt(useNow()));
  const isNear = end.leftMs <= warnAheadMs;
  const isOver = end.leftMs <= 0;
  // While the user is active, this read extends the session like any other; a background read does not.
  const check = useEffectEvent(() => {
    void refetch().then(({ error }) => noticeSignedOut(error));
  });
  useEffect(() => {
    if (!isNear) return;
    check();
    const timer = setInterval(check, checkEveryMs);
    return () => clearInterval(timer);
  }, [isNear]);
  useEffect(() => {
    if (isOver) check();
  }, [isOver]);
  const wasNearWhenRead = sessionEnd(session, serverTimeAt(dataUpdatedAt)).leftMs <= warnAheadMs + 1_000;
  return isNear && wasNearWhenRead ? end : null;
}
