import type { Agent } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog, dialogList } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { Refusal } from "../../ui/panels/Refusal.tsx";
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
  const revoke = useMutation({
    mutationFn: () => api.revokeAgent(slug, agent.id),
    onSuccess: () => {
      client.setQueryData(
        agentsQuery(slug).queryKey,
        (old) => old && { items: old.items.filter((one) => one.id !== agent.id) },
      );
      void client.invalidateQueries({ queryKey: agentsQuery(slug).queryKey });
      go(paths.agents(slug));
    },
  });
  return (
    <Dialog title={`Revoke ${printable(agent.name)}`} onClose={onClose}>
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
        <li>its token; to come back it has to be minted anew</li>
        <li>commands that wait for it, which are cancelled</li>
      </ul>
      <p className="t2">What it reported stays.</p>
      {revoke.isError ? <Refusal>Not revoked. {causeOf(revoke.error)}</Refusal> : null}
      <DialogFoot leave="Keep it" onLeave={onClose}>
        <ActButton isDanger error={revoke.error} isBusy={revoke.isPending} onAct={() => revoke.mutate()}>
          Revoke agent
        </ActButton>
      </DialogFoot>
    </Dialog>
  );
}
