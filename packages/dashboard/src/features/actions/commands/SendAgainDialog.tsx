import type { Command } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { nameText } from "../../../ui/time/format.ts";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useEligibleAgents, useFrozen, useIssue } from "../requests/use-act.ts";
import { actionLabel, hasUnknownOutcome, isUnsent } from "./labels.ts";
import { requestOf } from "./send-again.ts";

interface SendAgainDialogProps {
  slug: string;
  command: Command;
  onClose: () => void;
}

export function SendAgainDialog({ slug, command, onClose }: SendAgainDialogProps) {
  const again = requestOf(command);
  const eligibleNow = useEligibleAgents(slug, {
    engine: again?.engine ?? "",
    capability: again?.capability ?? "retry_task",
  });
  const issue = useIssue(slug, (to, body: Record<string, unknown>) => {
    if (again === null) throw new Error("there is nothing to send");
    // The body comes from a payload that the service made from a body of the same method, so the types match.
    const method = api[again.method] as (to: string, body: object) => Promise<Command>;
    return method(to, body);
  });
  const eligibility = useFrozen(eligibleNow, isOpen(issue));
  const [chosen, setChosen] = useState("");
  // The original agent comes first.
  const agents = eligibility.agents.toSorted(
    (a, b) => Number(b.id === command.agent_id) - Number(a.id === command.agent_id),
  );
  const { agentId, reason } = requiredAgent({ agents, reason: eligibility.reason }, chosen);
  const { target_type: type, target_id: id, action, status } = command;
  const label = `${actionLabel(action)}${id === null ? "" : ` ${nameText(id)}`}`;
  const send = () => {
    if (again === null || agentId === undefined) return;
    const task = type === "task" && id !== null ? { task: { engine: again.engine, taskId: id } } : {};
    issue.mutate({ body: { ...again.body, agent_id: agentId }, entry: { label, ...task } }, { onSuccess: onClose });
  };
  return (
    <CommandDialog
      title="Send command again"
      onClose={onClose}
      agent={{ agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      act="Send command again"
      onSend={send}
    >
      <p>
        Sends <b>{label}</b> as a new command. The original command stays unchanged.
      </p>
      <p className="t2">
        {status === "timeout" && !isUnsent(command)
          ? "It is unknown whether the original command ran. Cancelling a task twice is safe."
          : status === "cancelled" || status === "timeout"
            ? "The original command never reached an agent."
            : hasUnknownOutcome(command)
              ? "It is unknown whether the original command took effect. Cancelling a task twice is safe."
              : "The original command failed. The cause may still exist."}
        {action === "retry_task" ? " The task runs immediately, even if the original command had a delay." : ""}
      </p>
    </CommandDialog>
  );
}
