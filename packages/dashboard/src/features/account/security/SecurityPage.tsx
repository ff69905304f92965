import { useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead, readPageAhead } from "../../../api/read-ahead.ts";
import panel from "../../../ui/panels/panel.module.css";
import { usePage } from "../../../ui/title.ts";
import { mfaStatusQuery, trustedDevicesQuery } from "../../mfa/index.ts";
import { AccountNav } from "../AccountNav.tsx";
import { securityHistoryPages, sessionsQuery } from "../queries.ts";
import { DevicesPanel } from "./DevicesPanel.tsx";
import { HistoryPanel } from "./HistoryPanel.tsx";
import { PasswordPanel } from "./PasswordPanel.tsx";
import { SecondFactorPanel } from "./SecondFactorPanel.tsx";
import { SessionsPanel } from "./SessionsPanel.tsx";

export const loader: PageLoader = () =>
  Promise.all([
    readAhead(mfaStatusQuery),
    readAhead(sessionsQuery),
    readAhead(trustedDevicesQuery),
    readPageAhead(securityHistoryPages),
  ]);

/** Password, second factor, sessions and trusted devices of the user. */
export function SecurityPage() {
  usePage([["Projects", paths.home()], ["Security"]]);
  const status = useQuery(mfaStatusQuery);
  return (
    <>
      <div className={panel.head}>
        <h1>Security</h1>
      </div>
      <AccountNav />
      <div className={`${panel.page} ${panel.stack}`}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            <SessionsPanel />
            <DevicesPanel isEnrolled={status.data?.enrolled} />
          </div>
          <div className={panel.stack}>
            <SecondFactorPanel read={status} />
            <PasswordPanel />
          </div>
        </div>
        <HistoryPanel />
      </div>
    </>
  );
}
