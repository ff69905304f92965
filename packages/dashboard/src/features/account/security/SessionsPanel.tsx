import type { UserSession } from "@svc/client";
import { browserName } from "@svc/client/browser-name";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { useWaitSeconds } from "../../../ui/buttons/RetryButton.tsx";
import controls from "../../../ui/controls.module.css";
import { FailedLine } from "../../../ui/panels/Feedback.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { count, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { Done } from "../Done.tsx";
import { sessionsQuery } from "../queries.ts";

/** Where somebody is signed in as this user, this session first. */
export function SessionsPanel() {
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const [said, setSaid] = useState<string | null>(null);
  const end = useMutation({
    mutationFn: async (session: UserSession | null) => {
      if (session === null) return (await api.revokeOtherSessions()).revoked;
      return (await api.revokeSession(session.id)).revoked ? 1 : 0;
    },
    onMutate: () => setSaid(null),
    onSuccess: (ended) => {
      setSaid(ended === 1 ? "1 session has ended." : `${count(ended)} sessions have ended.`);
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: noticeSignedOut,
  });
  const isOff = useWaitSeconds(end.error) > 0 || end.isPending;
  const rows = [...(sessions.data?.items ?? [])].sort(
    (one, other) => Number(other.is_current) - Number(one.is_current),
  );
  const hasOthers = rows.some((session) => !session.is_current);
  return (
    <Panel
      title="Sessions"
      window="where you are signed in"
      read={sessions}
      rows={3}
      actions={
        hasOthers ? (
          <Button variant="link" isPending={isOff} onClick={() => end.mutate(null)}>
            Revoke all others
          </Button>
        ) : undefined
      }
    >
      {() => (
        <>
          {end.isError ? <FailedLine title="No session has ended" error={end.error} /> : null}
          <ScrollBox label="Sessions">
            <table className={panel.tbl}>
              <thead>
                <tr>
                  <th>Browser</th>
                  <th className="lg">Address</th>
                  <th className="num">Last used</th>
                  <th className="num lg">Signed in</th>
                  <th>
                    <span className="vh">What can be done</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((session) => (
                  <tr key={session.id}>
                    <td title={session.user_agent_at_issue ?? undefined}>
                      {printable(browserName(session.user_agent_at_issue))}{" "}
                      {session.is_current ? <span className={controls.tag}>this one</span> : null}
                    </td>
                    <td className="lg mono">{session.ip_at_issue ?? "not known"}</td>
                    <td className="num">
                      <Age at={session.last_seen_at} suffix=" ago" />
                    </td>
                    <td className="num lg">
                      <Age at={session.issued_at} suffix=" ago" />
                    </td>
                    <td className="num">
                      {session.is_current ? null : (
                        <Button variant="link" isPending={isOff} onClick={() => end.mutate(session)}>
                          Revoke
                          <span className="vh"> {printable(browserName(session.user_agent_at_issue))}</span>
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
          <div className={said === null ? undefined : panel.foot}>
            <Done>{said}</Done>
          </div>
        </>
      )}
    </Panel>
  );
}
