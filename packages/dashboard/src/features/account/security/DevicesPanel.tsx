import type { TrustedDevice } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { useWaitSeconds } from "../../../ui/buttons/RetryButton.tsx";
import controls from "../../../ui/controls.module.css";
import { InlineError } from "../../../ui/panels/Lines.tsx";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Age, Stamp } from "../../../ui/time/Stamp.tsx";
import { trustedDevicesQuery } from "../../mfa/index.ts";
import { Done } from "../Done.tsx";
import { RenameDeviceDialog } from "./RenameDeviceDialog.tsx";

interface DevicesPanelProps {
  /** Whether the account has a second factor; undefined while loading. */
  isEnrolled: boolean | undefined;
}

/** Browsers that may sign in without a code. */
export function DevicesPanel({ isEnrolled }: DevicesPanelProps) {
  const client = useQueryClient();
  const devices = useQuery(trustedDevicesQuery);
  const [renaming, setRenaming] = useState<TrustedDevice | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const change = useMutation({
    mutationFn: async (revoked: TrustedDevice | null) => {
      if (revoked === null) return `${(await api.trustDevice()).label} is trusted.`;
      await api.revokeTrustedDevice(revoked.id);
      return `${revoked.label} is no longer trusted.`;
    },
    onMutate: () => setSaid(null),
    onSuccess: (done) => {
      setSaid(printable(done));
      return client.invalidateQueries({ queryKey: trustedDevicesQuery.queryKey });
    },
    onError: noticeSignedOut,
  });
  const isOff = useWaitSeconds(change.error) > 0 || change.isPending;
  const isTrusted = devices.data?.items.some((device) => device.is_current) ?? true;
  const trust =
    isEnrolled && !isTrusted ? (
      <Button variant="link" isPending={isOff} onClick={() => change.mutate(null)}>
        Trust this browser
      </Button>
    ) : undefined;
  const columns: Column<TrustedDevice>[] = [
    {
      header: "Device",
      cellClass: panel.named,
      cell: (device) => (
        <>
          {printable(device.label)} {device.is_current ? <span className={controls.tag}>current</span> : null}
        </>
      ),
      small: (device) => (
        <span className="sm">
          {device.revoked_at ? "" : "until "}
          <Until device={device} />
        </span>
      ),
    },
    { header: "Last used", className: "num lg", cell: (device) => <Age at={device.last_seen_at} suffix=" ago" /> },
    { header: "Trusted until", className: "num lg", cell: (device) => <Until device={device} /> },
    {
      header: "Actions",
      isHeaderHidden: true,
      cellClass: "num",
      cell: (device) =>
        device.revoked_at ? null : (
          <>
            <Button variant="link" onClick={() => setRenaming(device)}>
              Rename<span className="vh"> {printable(device.label)}</span>
            </Button>
            <Button variant="link" isPending={isOff} onClick={() => change.mutate(device)}>
              Revoke<span className="vh"> {printable(device.label)}</span>
            </Button>
          </>
        ),
    },
  ];
  return (
    <>
      <Panel title="Trusted devices" window="sign in without a code" read={devices} rows={2} actions={trust}>
        {({ items }) => (
          <>
            {change.isError ? <InlineError title="Nothing was changed" error={change.error} /> : null}
            {items.length === 0 ? (
              <PanelEmpty kind="none-yet">
                {isEnrolled === false
                  ? "Without a second factor, no code is needed at sign-in."
                  : "Every sign-in needs a code. Trust a browser here or when you sign in."}
              </PanelEmpty>
            ) : (
              <DataTable
                label="Trusted devices"
                rows={items}
                rowKey={({ id }) => id}
                rowProps={(device) => (device.revoked_at ? { className: "t3" } : {})}
                columns={columns}
              />
            )}
            <div className={said === null ? undefined : panel.foot}>
              <Done>{said}</Done>
            </div>
          </>
        )}
      </Panel>
      {renaming === null ? null : <RenameDeviceDialog device={renaming} onClose={() => setRenaming(null)} />}
    </>
  );
}

function Until({ device }: { device: TrustedDevice }) {
  if (!device.revoked_at) return <Stamp at={device.expires_at} to="day" />;
  return (
    <>
      revoked <Age at={device.revoked_at} suffix=" ago" />
    </>
  );
}
