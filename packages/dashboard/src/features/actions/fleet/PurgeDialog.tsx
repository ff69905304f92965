import type { PurgeQueueBody, Queue } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useAble, useIssue, useKept } from "../requests/use-act.ts";

interface PurgeDialogProps {
  slug: string;
  queue: Queue;
  onClose: () => void;
}

/**
 * Removes what waits in a queue. The depth that was looked at goes along as a guard: the agent refuses when it is another one by then.
 * Without the guard it takes a second, separate confirmation.
 */
export function PurgeDialog({ slug, queue: shown, onClose }: PurgeDialogProps) {
  // The depth that stood here when it was asked for, though the queue goes on.
  const [queue] = useState(shown);
  const { engine, name } = queue;
  const ableNow = useAble(slug, { engine, capability: "purge_queue", role: "admin" });
  const issue = useIssue(slug, (to, body: PurgeQueueBody) => api.purgeQueue(to, body));
  const able = useKept(ableNow, isOpen(issue));
  const [typed, setTyped] = useState("");
  const [isForced, setForced] = useState(false);
  const [chosen, setChosen] = useState("");
  const isKnown = queue.depth_reported_at !== null && queue.depth_reported_at !== undefined;
  const depth = queue.pending_count;
  const tasks = `${count(depth)} ${depth === 1 ? "task" : "tasks"}`;
  const { agentId, reason: held } = requiredAgent(able, chosen);
  const reason =
    held ??
    (typed !== name ? "Type the name of the queue first" : !isKnown && !isForced ? "Its depth is not known" : null);
  const send = () => {
    if (agentId === undefined) return;
    const body = {
      agent_id: agentId,
      engine,
      queue: name,
      ...(isForced ? { force: true } : { observed_depth: depth }),
    };
    issue.mutate({ body, told: { words: `Purge ${nameText(name)}` } }, { onSuccess: onClose });
  };
  return (
    <CommandDialog
      title={isForced ? `Purge ${nameText(name)} without depth check` : `Purge ${nameText(name)}`}
      onClose={onClose}
      agent={{ agents: able.agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      form={{ fault: null }}
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
          Everything that waits in <b>{nameText(name)}</b> of {printable(engine)} by then is removed, also what nobody
          has seen yet. It cannot be brought back.
        </p>
      ) : isKnown ? (
        <p>
          <Age at={queue.depth_reported_at ?? null} suffix=" ago" /> <b>{tasks}</b> waited in <b>{nameText(name)}</b> of{" "}
          {printable(engine)}. They are removed for good. If it is another number by the time the agent looks, it
          removes nothing.
        </p>
      ) : (
        <p>No agent has reported how much waits in this queue, so there is nothing to guard the purge with.</p>
      )}
    </CommandDialog>
  );
}
