import type { Agent } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { FormDialog } from "../../ui/forms/FormDialog.tsx";
import { dialogList } from "../../ui/layers/Layers.tsx";
import { printable } from "../../ui/time/format.ts";
import { agentsQuery } from "./queries.ts";

interface RevokeDialogProps {
  slug: string;
  agent: Agent;
  /** Null when it is not known. */
  processesOnline: number | null;
  onClose: () => void;
}

export function RevokeDialog({ slug, agent, processesOnline, onClose }: RevokeDialogProps) {
  const client = useQueryClient();
  const go = useGo();
  return (
    <FormDialog
      title={`Revoke ${printable(agent.name)}`}
      act="Revoke agent"
      isDanger
      leave="Keep it"
      send={() => api.revokeAgent(slug, agent.id)}
      onDone={() => {
        client.setQueryData(
          agentsQuery(slug).queryKey,
          (old) => old && { items: old.items.filter((one) => one.id !== agent.id) },
        );
        void client.invalidateQueries({ queryKey: agentsQuery(slug).queryKey });
        go(paths.agents(slug));
      }}
      undone="Not revoked."
      onClose={onClose}
    >
      <p>This stops, at once and for good:</p>
      <ul className={dialogList}>
        {agent.state === "online" ? (
          <li>
            the watch over{" "}
            {agent.engine_adapters.length > 0 ? agent.engine_adapters.map(printable).join(", ") : "its engines"}: what
            happens there from now on is not seen
          </li>
        ) : null}
        <li>
          its connection
          {processesOnline === null || processesOnline === 0
            ? ""
            : `, used by ${processesOnline} ${processesOnline === 1 ? "process" : "processes"} now`}
        </li>
        <li>its token: to watch again, create another agent</li>
        <li>commands that wait for it, which are cancelled</li>
      </ul>
      <p className="t2">What it reported stays.</p>
    </FormDialog>
  );
}
