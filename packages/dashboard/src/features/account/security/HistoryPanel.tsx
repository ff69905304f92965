import type { AccountNotice } from "@svc/client";
import { browserName } from "@svc/client/browser-name";
import { useInfiniteQuery } from "@tanstack/react-query";
import { OlderButton } from "../../../ui/buttons/OlderButton.tsx";
import { InlineError } from "../../../ui/panels/Lines.tsx";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { securityHistoryPages } from "../queries.ts";
import { noticeText } from "./notice-text.ts";

/** Security events of the account, so that its owner can spot misuse. */
export function HistoryPanel() {
  const read = useInfiniteQuery(securityHistoryPages);
  return (
    <Panel title="Security history" window="newest first" read={read} rows={3}>
      {({ pages }) => {
        const notices = pages.flatMap(({ items }) => items);
        return notices.length === 0 ? (
          <PanelEmpty kind="none-yet">
            New API keys, password and second-factor changes, and sign-ins from new browsers appear here.
          </PanelEmpty>
        ) : (
          <>
            <DataTable label="Security history" columns={columns} rows={notices} rowKey={({ id }) => id} />
            {read.isFetchNextPageError ? <InlineError title="Couldn't load older entries" error={read.error} /> : null}
            {read.hasNextPage ? (
              <div className={panel.foot}>
                <OlderButton read={read}>Load older entries</OlderButton>
              </div>
            ) : null}
          </>
        );
      }}
    </Panel>
  );
}

const columns: readonly Column<AccountNotice>[] = [
  {
    header: "Event",
    cell: noticeText,
    small: (notice) => (
      <span className="sm">{[notice.source_ip, browserOf(notice)].filter((part) => part !== null).join(", ")}</span>
    ),
  },
  { header: "IP address", className: "lg", cellClass: "mono", cell: ({ source_ip: address }) => address ?? "–" },
  {
    header: "Browser",
    className: "lg",
    title: ({ user_agent: userAgent }) => userAgent ?? undefined,
    cell: (notice) => browserOf(notice) ?? "–",
  },
  { header: "Time", className: "num", cell: ({ occurred_at: at }) => <Stamp at={at} to="minute" /> },
];

const browserOf = ({ user_agent: userAgent }: AccountNotice): string | null =>
  userAgent === null ? null : printable(browserName(userAgent));
