import type { Command } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { nameText } from "../../../ui/time/format.ts";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useAble, useIssue, useKept } from "../requests/use-act.ts";
import { requestOf } from "./send-again.ts";
import { hasUnknownOutcome, wordsOfAction } from "./words.ts";

interface SendAgainDialogProps {
  slug: string;
  command: Command;
  onClose: () => void;
}

export function SendAgainDialog({ slug, command, onClose }: SendAgainDialogProps) {
  const again = requestOf(command);
  const ableNow = useAble(slug, { engine: again?.engine ?? "", capability: again?.capability ?? "retry_task" });
  const issue = useIssue(slug, (to, body: Record<string, unknown>) => {
    if (again === null) throw new Error("there is nothing to send");
    // The methods differ in their bodies; this one comes from a payload that the service made of such a body.
    const ask = api[again.method] as (to: string, body: object) => Promise<Command>;
    return ask(to, body);
  });
  const able = useKept(ableNow, isOpen(issue));
  const [chosen, setChosen] = useState("");
  // Its own agent is the first that is offered.
  const agents = able.agents.toSorted((a, b) => Number(b.id === command.agent_id) - Number(a.id === command.agent_id));
  const { agentId, reason } = requiredAgent({ agents, reason: able.reason }, chosen);
  const { target_type: type, target_id: id, action, status } = command;
  const words = `${wordsOfAction(action)}${id === null ? "" : ` ${nameText(id)}`}`;
  const send = () => {
    if (again === null || agentId === undefined) return;
    const task = type === "task" && id !== null ? { task: { engine: again.engine, taskId: id } } : {};
    issue.mutate({ body: { ...again.body, agent_id: agentId }, told: { words, ...task } }, { onSuccess: onClose });
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
        <b>{words}</b> becomes a new command with a key of its own. The first one stays as it is.
      </p>
      <p className="t2">
        {status === "timeout"
          ? "Nobody knows whether the first one ran. A task that was cancelled already is not cancelled twice."
          : status === "cancelled"
            ? "The first one never reached an agent."
            : hasUnknownOutcome(command)
              ? "Nobody knows whether the first one took effect. A task that was cancelled already is not cancelled twice."
              : "The agent could not do the first one; what stood in its way may still be there."}
        {action === "retry_task" ? " The task runs at once, also where a later time was asked for." : ""}
      </p>
    </CommandDialog>
  );
}
