import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { api } from "../../api/api.ts";
import { noticeSignedOut } from "../../api/query-client.ts";
import { meQuery, useMe } from "../../features/sessions/queries.ts";
import { serverTimeAt } from "../../live/server-clock.ts";
import { shortcutsSetting, useSetting } from "../../ui/appearance.ts";
import controls from "../../ui/controls.module.css";
import { type KeyHelp, useKeys } from "../../ui/layers/keys.ts";
import { causeOf, NoteLine } from "../../ui/panels/Feedback.tsx";
import { age } from "../../ui/time/format.ts";
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

const help: KeyHelp = { title: "Before the session ends", rank: 3, says: [["S", "Stay signed in"]] };

/** Says how long the session still lasts; a key or the button uses it, and that moves its end. */
export function SessionNotice({ end }: { end: SessionEnd }) {
  const left = <b className="num">{age(end.leftMs)} left.</b>;
  return end.isIdleEnd ? (
    <IdleNotice left={left} />
  ) : (
    <NoteLine glyph="timeout" aside={left}>
      Your session has reached its greatest length and ends soon. Finish what you began, then sign in again.
    </NoteLine>
  );
}

function IdleNotice({ left }: { left: ReactNode }) {
  const client = useQueryClient();
  const hasKeys = useSetting(shortcutsSetting) === "on";
  const stay = useMutation({
    mutationFn: () => api.getMe({ background: false }),
    onSuccess: (me) => client.setQueryData(meQuery.queryKey, me),
    onError: noticeSignedOut,
  });
  const extend = () => {
    if (!stay.isPending) stay.mutate();
  };
  useKeys({ S: extend }, help);
  const action = (
    <button type="button" className={controls.btn} onClick={extend} aria-disabled={stay.isPending}>
      Stay signed in
      {hasKeys ? <kbd className="lg">Shift S</kbd> : null}
    </button>
  );
  return (
    <NoteLine glyph="timeout" aside={left} action={action}>
      Nobody has used this session for a while, so it ends soon.
      {hasKeys ? <span className="vh"> Press Shift S to stay signed in.</span> : null}
      {stay.isError ? ` ${causeOf(stay.error)}` : ""}
    </NoteLine>
  );
}
