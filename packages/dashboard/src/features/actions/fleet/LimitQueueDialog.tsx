import type { Queue, RateLimitBody } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { faultsByField } from "../../../api/field-faults.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useAble, useIssue, useKept } from "../requests/use-act.ts";
import { rateFault, rateHint } from "./rate-text.ts";

interface LimitQueueDialogProps {
  slug: string;
  queue: Pick<Queue, "engine" | "name">;
  onClose: () => void;
}

/** Limits a queue as a whole, for engines that limit no single worker: what is named is the queue, and no worker. */
export function LimitQueueDialog({ slug, queue: { engine, name }, onClose }: LimitQueueDialogProps) {
  const ableNow = useAble(slug, { engine, capability: "rate_limit_of_queue" });
  const issue = useIssue(slug, (to, body: RateLimitBody) => api.limitRate(to, body));
  const able = useKept(ableNow, isOpen(issue));
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState("");
  const [isTried, setTried] = useState(false);
  const rate = typed.trim();
  const fault = rateFault(rate);
  const isLifted = fault === null && rate.startsWith("0");
  const { agentId, reason } = requiredAgent(able, chosen);
  const send = () => {
    setTried(true);
    if (agentId === undefined || fault !== null) return;
    const body = { agent_id: agentId, engine, task_name: name, rate };
    const words = isLifted ? `Lift the limit of ${nameText(name)}` : `Limit ${nameText(name)} to ${printable(rate)}`;
    issue.mutate({ body, told: { words } }, { onSuccess: onClose });
  };
  return (
    <CommandDialog
      title={`Limit rate of ${nameText(name)}`}
      onClose={onClose}
      agent={{ agents: able.agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      form={{ fault: isTried ? fault : null }}
      act={isLifted ? "Remove limit" : "Limit rate"}
      onSend={send}
    >
      <p>How often tasks of this queue begin, on all its workers together, until it is changed.</p>
      <Field
        label="Rate"
        value={typed}
        hint={rateHint}
        error={(isTried ? fault : null) ?? faultsByField(issue.error).rate}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </CommandDialog>
  );
}
