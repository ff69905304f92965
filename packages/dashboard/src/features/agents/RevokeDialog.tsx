import { type Agent, plural } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { FormDialog } from "../../ui/forms/FormDialog.tsx";
import { dialogList } from "../../ui/layers/Layers.tsx";
import { printable } from "../../ui/time/format.ts";
import { ProjectTag } from "../projects/index.ts";
import { agentsQuery } from "./queries.ts";

interface RevokeDialogProps {
  slug: string;
  agent: Agent;
  /** Null when unknown. */
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
      place={<ProjectTag />}
      isDanger
      send={() => api.revokeAgent(slug, agent.id)}
      onDone={() => {
        client.setQueryData(
          agentsQuery(slug).queryKey,
          (old) => old && { items: old.items.filter((one) => one.id !== agent.id) },
        );
        void client.invalidateQueries({ queryKey: agentsQuery(slug).queryKey });
        go(paths.agents(slug));
      }}
      undone="The agent was not revoked."
      onClose={onClose}
    >
      <p>This takes effect immediately and can't be undone:</p>
      <ul className={dialogList}>
        {agent.state === "online" ? (
          <li>
            It stops watching{" "}
            {agent.engine_adapters.length > 0 ? agent.engine_adapters.map(printable).join(", ") : "its engines"}. Tasks
            that no other agent watches are no longer recorded.
          </li>
        ) : null}
        {processesOnline !== null && processesOnline > 0 ? (
          <li>{plural(processesOnline, "process", "processes")} will be disconnected.</li>
        ) : agent.state === "online" ? (
          <li>It will be disconnected.</li>
        ) : null}
        <li>Its token stops working. To reconnect, create a new agent.</li>
        <li>Commands waiting for it are cancelled.</li>
      </ul>
      <p className="t2">Everything it reported is kept.</p>
    </FormDialog>
  );
}
