import type { AccountNotice } from "@svc/client";
import { browserName } from "@svc/client/browser-name";
import { useInfiniteQuery } from "@tanstack/react-query";
import { OlderButton } from "../../../ui/buttons/OlderButton.tsx";
import { FailedLine } from "../../../ui/panels/Feedback.tsx";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { securityHistoryPages } from "../queries.ts";
import { noticeText } from "./notice-text.ts";

/** What happened to the account, so that its owner can see what somebody else did. */
export function HistoryPanel() {
  const read = useInfiniteQuery(securityHistoryPages);
  return (
    <Panel title="Security history" window="newest first" read={read} rows={3}>
      {({ pages }) => {
        const notices = pages.flatMap(({ items }) => items);
        return notices.length === 0 ? (
          <PanelEmpty kind="none-yet">
            <p>New API keys, password and second-factor changes, and sign-ins from new browsers appear here.</p>
          </PanelEmpty>
        ) : (
          <>
            <ScrollBox label="Security history">
              <table className={panel.tbl}>
                <thead>
                  <tr>
                    <th>Event</th>
                    <th className="lg">Address</th>
                    <th className="lg">Browser</th>
                    <th className="num">Time</th>
                  </tr>
                </thead>
                <tbody>
                  {notices.map((notice) => (
                    <NoticeRow key={notice.id} notice={notice} />
                  ))}
                </tbody>
              </table>
            </ScrollBox>
            {read.isFetchNextPageError ? (
              <FailedLine title="Older entries could not be read" error={read.error} />
            ) : null}
            {read.hasNextPage ? (
              <div className={panel.foot}>
                <OlderButton read={read}>Show older</OlderButton>
              </div>
            ) : null}
          </>
        );
      }}
    </Panel>
  );
}

function NoticeRow({ notice }: { notice: AccountNotice }) {
  const { source_ip: address, user_agent: userAgent } = notice;
  const browser = userAgent === null ? null : printable(browserName(userAgent));
  const where = [address, browser].filter((part) => part !== null).join(", ");
  return (
    <tr>
      <td className={panel.two}>
        {noticeText(notice)}
        <small>
          <span className="sm">{where}</span>
        </small>
      </td>
      <td className="lg mono">{address ?? "–"}</td>
      <td className="lg" title={userAgent ?? undefined}>
        {browser ?? "–"}
      </td>
      <td className="num">
        <Stamp at={notice.occurred_at} to="minute" />
      </td>
    </tr>
  );
}
