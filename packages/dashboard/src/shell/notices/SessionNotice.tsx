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

const help: KeyHelp = { title: "Before the session ends", rank: 3, entries: [["S", "Stay signed in"]] };

/** Shows the remaining session time. A key or the button extends an idle session. */
export function SessionNotice({ end }: { end: SessionEnd }) {
  const left = <b className="num">{age(end.leftMs)} left.</b>;
  return end.isIdleEnd ? (
    <IdleNotice left={left} />
  ) : (
    <NoteLine glyph="timeout" aside={left}>
      Your session reaches its maximum length and ends soon. Save your work, then sign in again.
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
      Your session is idle and ends soon.
      {hasKeys ? <span className="vh"> Press Shift S to stay signed in.</span> : null}
      {stay.isError ? ` ${causeOf(stay.error)}` : ""}
    </NoteLine>
  );
}
