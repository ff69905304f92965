import { plural, type UserSession } from "@svc/client";
import { browserName } from "@svc/client/browser-name";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { useWaitSeconds } from "../../../ui/buttons/RetryButton.tsx";
import controls from "../../../ui/controls.module.css";
import { InlineError } from "../../../ui/panels/Lines.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { Done } from "../Done.tsx";
import { sessionsQuery } from "../queries.ts";

/** All sessions of this user, the current one first. */
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
      setSaid(`${plural(ended, "session")} revoked.`);
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: noticeSignedOut,
  });
  const isOff = useWaitSeconds(end.error) > 0 || end.isPending;
  const rows = [...(sessions.data?.items ?? [])].sort(
    (one, other) => Number(other.is_current) - Number(one.is_current),
  );
  const hasOthers = rows.some((session) => !session.is_current);
  const columns: Column<UserSession>[] = [
    {
      header: "Browser",
      title: (session) => session.user_agent_at_issue ?? undefined,
      cell: (session) => (
        <>
          {browserOf(session)} {session.is_current ? <span className={controls.tag}>current</span> : null}
        </>
      ),
    },
    { header: "IP address", className: "lg", cellClass: "mono", cell: (session) => session.ip_at_issue ?? "unknown" },
    { header: "Last used", className: "num", cell: (session) => <Age at={session.last_seen_at} suffix=" ago" /> },
    { header: "Signed in", className: "num lg", cell: (session) => <Age at={session.issued_at} suffix=" ago" /> },
    {
      header: "Actions",
      isHeaderHidden: true,
      cellClass: "num",
      cell: (session) =>
        session.is_current ? null : (
          <Button variant="link" isPending={isOff} onClick={() => end.mutate(session)}>
            Revoke
            <span className="vh"> {browserOf(session)}</span>
          </Button>
        ),
    },
  ];
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
          {end.isError ? <InlineError title="No sessions were revoked" error={end.error} /> : null}
          <DataTable label="Sessions" rows={rows} rowKey={({ id }) => id} columns={columns} />
          <div className={said === null ? undefined : panel.foot}>
            <Done>{said}</Done>
          </div>
        </>
      )}
    </Panel>
  );
}

const browserOf = (session: UserSession): string => printable(browserName(session.user_agent_at_issue));
