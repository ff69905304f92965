import { type DeadLetter, plural, type TaskCommandBody } from "@svc/client";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { count, nameText, printable } from "../../ui/time/format.ts";
import {
  CommandDialog,
  type DialogProps,
  freshKey,
  namedAgent,
  runEntry,
  useCommandRun,
  useEligibleAgents,
  useFrozen,
  useIssue,
} from "../actions/index.ts";

/** Each dead letter is one command. */
const maximum = 200;

export interface ChosenDeadLetters {
  engine: string;
  deadLetters: readonly DeadLetter[];
  /** The agent that reported them. Another agent of the engine may watch a different server, where these ids are other tasks. */
  reportedBy: string;
  /** Called once its command is created. */
  onRequeued: (deadLetter: DeadLetter, commandId: string) => void;
}

/** Puts dead letters back into their queues, one command each. */
export function RequeueDialog({ slug, subject, onClose }: DialogProps<ChosenDeadLetters>) {
  const { engine, deadLetters, reportedBy, onRequeued } = subject;
  const [runId] = useState(freshKey);
  const online = useEligibleAgents(slug, { engine, capability: "requeue_dead_letter" });
  const issue = useIssue(slug, (to, body: TaskCommandBody) => api.requeueDeadLetter(to, body));
  const { made, isBusy, failure, hasBegun, isDone, hasMore, isStopping, stop, run } = useCommandRun(
    issue.isLost,
    runId,
  );
  const [chosen, setChosen] = useState(reportedBy);
  // After the first request the agent stays the same.
  const { eligibility, agentId } = useFrozen({ eligibility: online, agentId: chosen }, hasBegun);
  const named = namedAgent(eligibility.agents, agentId);
  const many = plural(deadLetters.length, "dead letter");
  const reason = eligibility.reason ?? (deadLetters.length > maximum ? `Maximum ${count(maximum)} at a time` : null);
  const send = () =>
    run(
      deadLetters.map((deadLetter, at) => async () => {
        const { task_id: taskId, task_name: name } = deadLetter;
        const label = `Requeue ${name === null ? printable(taskId) : nameText(name)}`;
        const all = {
          id: runId,
          action: "requeue_dead_letter",
          label: "Requeue dead letters",
          total: deadLetters.length,
        };
        const entry = runEntry(all, at + 1, { label, task: { engine, taskId } });
        const body = { engine, task_id: taskId, ...named };
        onRequeued(deadLetter, (await issue.mutateAsync({ body, entry })).id);
      }),
    );
  const leave = () => {
    stop();
    onClose();
  };
  return (
    <CommandDialog
      title={`Requeue ${many}`}
      onClose={leave}
      agent={{
        agents: hasBegun ? eligibility.agents.filter(({ id }) => id === named.agent_id) : eligibility.agents,
        value: agentId,
        anyLabel: `Agent that last reported ${deadLetters.length === 1 ? "it" : "each one"}`,
        onChange: setChosen,
      }}
      request={{ error: failure, isLost: issue.isLost, isPending: isBusy }}
      reason={reason}
      nothing={made === 0 ? "Nothing was requested." : "The rest was not requested."}
      what={deadLetters.length > 1 ? "the next request" : undefined}
      act={
        isDone
          ? null
          : `Requeue ${made > 0 && !isBusy ? `remaining ${plural(deadLetters.length - made, "dead letter")}` : many}`
      }
      leave={hasMore ? "Stop" : isDone ? "Close" : "Cancel"}
      onLeave={hasMore ? stop : leave}
      onSend={() => void send()}
      below={
        <>
          {eligibility.agents.length === 0 || eligibility.agents.some(({ id }) => id === reportedBy) ? null : (
            <p>
              The agent that reported {deadLetters.length === 1 ? "it" : "them"} is unavailable. Another agent may watch
              a different server, where{" "}
              {deadLetters.length === 1
                ? "the same id may be a different task."
                : "the same ids may be different tasks."}
            </p>
          )}
          {made > 0 || isStopping ? (
            <p role="status">
              {count(made)} of {count(deadLetters.length)} requested.
              {isStopping ? " Stopping after the current request." : ""}{" "}
              <AppLink href={paths.commands(slug, { action: "requeue_dead_letter" })}>View progress</AppLink>
            </p>
          ) : null}
        </>
      }
    >
      <p>The engine returns {deadLetters.length === 1 ? "it" : "them"} to the queue to run again from the start.</p>
    </CommandDialog>
  );
}
