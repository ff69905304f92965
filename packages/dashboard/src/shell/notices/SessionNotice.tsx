import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../api/api.ts";
import { noticeSignedOut } from "../../api/query-client.ts";
import { meQuery } from "../../features/sessions/index.ts";
import { shortcutsSetting, useSetting } from "../../ui/appearance.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { type KeyHelp, useKeys } from "../../ui/layers/keys.ts";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { NoteLine } from "../../ui/panels/Lines.tsx";
import { age } from "../../ui/time/format.ts";
import type { SessionEnd } from "./session-end.ts";

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
    <Button onClick={extend} isPending={stay.isPending}>
      Stay signed in
      {hasKeys ? <kbd className="lg">Shift S</kbd> : null}
    </Button>
  );
  return (
    <NoteLine glyph="timeout" aside={left} action={action}>
      Nobody has used this session for a while, so it ends soon.
      {hasKeys ? <span className="vh"> Press Shift S to stay signed in.</span> : null}
      {stay.isError ? ` ${causeOf(stay.error)}` : ""}
    </NoteLine>
  );
}
