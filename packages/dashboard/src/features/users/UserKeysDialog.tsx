import { type ApiKey, plural, type UserAdminPublic } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { userKeysQuery } from "./queries.ts";

/** The API keys of another user, for an administrator to revoke. */
export function UserKeysDialog({ user, onClose }: { user: UserAdminPublic; onClose: () => void }) {
  const client = useQueryClient();
  const read = useQuery(userKeysQuery(user.id));
  const revoke = useMutation({
    mutationFn: () => api.revokeUserApiKeys(user.id),
    onSuccess: () => client.setQueryData(userKeysQuery(user.id).queryKey, []),
  });
  const keys = read.data ?? [];
  return (
    <Dialog title={`Revoke API keys of ${printable(user.display_name || user.email)}`} onClose={onClose}>
      <QueryBoundary name="The API keys" read={read} rows={3} isPart>
        {keys.length === 0 ? (
          <p role="status">
            {revoke.data === undefined ? "No active API keys." : `${plural(revoke.data.revoked, "API key")} revoked.`}
          </p>
        ) : (
          <>
            <p className="t2">Revoked keys stop working immediately and can't be restored. This list is audited.</p>
            <DataTable label="API keys" rows={keys} rowKey={({ id }) => id} columns={columns} />
          </>
        )}
      </QueryBoundary>
      {revoke.isError ? <InlineAlert>No keys were revoked. {causeOf(revoke.error)}</InlineAlert> : null}
      <DialogFoot leave={keys.length === 0 ? "Close" : "Cancel"} onLeave={onClose}>
        {keys.length === 0 ? null : (
          <ActButton isDanger error={revoke.error} isBusy={revoke.isPending} onAct={() => revoke.mutate()}>
            Revoke {plural(keys.length, "key")}
          </ActButton>
        )}
      </DialogFoot>
    </Dialog>
  );
}

const columns: readonly Column<ApiKey>[] = [
  {
    header: "Key",
    cellClass: panel.named,
    cell: ({ name }) => printable(name),
    small: ({ prefix }) => <span className="mono">{prefix}…</span>,
  },
  { header: "Project", cell: ({ project_slug: slug }) => slug ?? <span className="t3">all</span> },
  { header: "Last used", className: "num", cell: ({ last_used_at: at }) => <Age at={at} suffix=" ago" /> },
];
