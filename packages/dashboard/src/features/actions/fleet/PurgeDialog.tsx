import { type PurgeQueueBody, plural, type Queue } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useEligibleAgents, useFrozen, useIssue } from "../requests/use-act.ts";

interface PurgeDialogProps {
  slug: string;
  queue: Queue;
  onClose: () => void;
}

/**
 * Removes the waiting tasks of a queue. The depth that the user saw is sent along: the agent refuses if it has changed. Skipping that check
 * takes a second confirmation.
 */
export function PurgeDialog({ slug, queue: shown, onClose }: PurgeDialogProps) {
  // Frozen at the depth that the user saw when opening the dialog.
  const [queue] = useState(shown);
  const { engine, name } = queue;
  const eligibleNow = useEligibleAgents(slug, { engine, capability: "purge_queue", role: "admin" });
  const issue = useIssue(slug, (to, body: PurgeQueueBody) => api.purgeQueue(to, body));
  const eligibility = useFrozen(eligibleNow, isOpen(issue));
  const [typed, setTyped] = useState("");
  const [isForced, setForced] = useState(false);
  const [chosen, setChosen] = useState("");
  const isKnown = queue.depth_reported_at !== null && queue.depth_reported_at !== undefined;
  const depth = queue.pending_count;
  const tasks = plural(depth, "task");
  const { agentId, reason: agentReason } = requiredAgent(eligibility, chosen);
  const reason =
    agentReason ??
    (typed !== name ? "Type the queue name first" : !isKnown && !isForced ? "Queue depth unknown" : null);
  const send = () => {
    if (agentId === undefined) return;
    const body = {
      agent_id: agentId,
      engine,
      queue: name,
      ...(isForced ? { force: true } : { observed_depth: depth }),
    };
    issue.mutate({ body, entry: { label: `Purge ${nameText(name)}` } }, { onSuccess: onClose });
  };
  return (
    <CommandDialog
      title={isForced ? `Purge ${nameText(name)} without depth check` : `Purge ${nameText(name)}`}
      onClose={onClose}
      agent={{ agents: eligibility.agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      form={{ error: null }}
      nothing="Nothing was purged."
      isDanger
      act={isForced ? "Purge queue" : `Purge ${tasks}`}
      onSend={send}
      below={
        <>
          <Field
            label={`Type ${nameText(name)} to confirm`}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <p>
            <Button
              variant="link"
              onClick={() => {
                setForced(!isForced);
                setTyped("");
              }}
            >
              {isForced ? "Check the depth again" : "Purge anyway"}
            </Button>
          </p>
        </>
      }
    >
      {isForced ? (
        <p>
          Removes every task waiting in <b>{nameText(name)}</b> of {printable(engine)}, including tasks added since you
          opened this. This can't be undone.
        </p>
      ) : isKnown ? (
        <p>
          Permanently removes <b>{tasks}</b> waiting in <b>{nameText(name)}</b> of {printable(engine)} (reported{" "}
          <Age at={queue.depth_reported_at ?? null} suffix=" ago" />
          ). If the number has changed, nothing is removed.
        </p>
      ) : (
        <p>No agent has reported the depth of this queue, so it can't be checked before the purge.</p>
      )}
    </CommandDialog>
  );
}
