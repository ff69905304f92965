import type { Queue, RateLimitBody } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { errorsByField } from "../../../api/field-errors.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useEligibleAgents, useFrozen, useIssue } from "../requests/use-act.ts";
import { rateErrorOf, rateHint } from "./rate-text.ts";

interface LimitQueueDialogProps {
  slug: string;
  queue: Pick<Queue, "engine" | "name">;
  onClose: () => void;
}

/** Limits the rate of a whole queue, for engines that cannot limit single workers. */
export function LimitQueueDialog({ slug, queue: { engine, name }, onClose }: LimitQueueDialogProps) {
  const eligibleNow = useEligibleAgents(slug, { engine, capability: "rate_limit_of_queue" });
  const issue = useIssue(slug, (to, body: RateLimitBody) => api.limitRate(to, body));
  const eligibility = useFrozen(eligibleNow, isOpen(issue));
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState("");
  const [isTried, setTried] = useState(false);
  const rate = typed.trim();
  const rateError = rateErrorOf(rate);
  const isRemoved = rateError === null && rate.startsWith("0");
  const { agentId, reason } = requiredAgent(eligibility, chosen);
  const send = () => {
    setTried(true);
    if (agentId === undefined || rateError !== null) return;
    const body = { agent_id: agentId, engine, task_name: name, rate };
    const label = isRemoved ? `Remove the limit of ${nameText(name)}` : `Limit ${nameText(name)} to ${printable(rate)}`;
    issue.mutate({ body, entry: { label } }, { onSuccess: onClose });
  };
  return (
    <CommandDialog
      title={`Limit rate of ${nameText(name)}`}
      onClose={onClose}
      agent={{ agents: eligibility.agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      form={{ error: isTried ? rateError : null }}
      act={isRemoved ? "Remove limit" : "Limit rate"}
      onSend={send}
    >
      <p>Limits how often tasks of this queue start, across all its workers, until you change it.</p>
      <Field
        label="Rate"
        value={typed}
        hint={rateHint}
        error={(isTried ? rateError : null) ?? errorsByField(issue.error).rate}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </CommandDialog>
  );
}
