import type { DeadLetter, TaskCommandBody } from "@svc/client";
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
  toldInTurn,
  useAble,
  useInTurn,
  useIssue,
  useKept,
} from "../actions/index.ts";

/** Each is a command of its own. */
const maximum = 200;

export interface ChosenLetters {
  engine: string;
  letters: readonly DeadLetter[];
  /** The agent that told them: another one of the engine may watch another server, with other tasks of these ids. */
  toldBy: string;
  /** Its command was made. */
  onRequeued: (letter: DeadLetter, commandId: string) => void;
}

/** Puts dead letters back into their queues, one command each. */
export function RequeueDialog({ slug, subject, onClose }: DialogProps<ChosenLetters>) {
  const { engine, letters, toldBy, onRequeued } = subject;
  const [runId] = useState(freshKey);
  const online = useAble(slug, { engine, capability: "requeue_dead_letter" });
  const issue = useIssue(slug, (to, body: TaskCommandBody) => api.requeueDeadLetter(to, body));
  const { made, isBusy, failure, hasBegun, isDone, goesOn, isStopping, stop, run } = useInTurn(issue.isLost, runId);
  const [chosen, setChosen] = useState(toldBy);
  // Once one is asked for it stays with this agent, whoever else comes or goes.
  const { able, agentId } = useKept({ able: online, agentId: chosen }, hasBegun);
  const named = namedAgent(able.agents, agentId);
  const many = `${count(letters.length)} ${letters.length === 1 ? "dead letter" : "dead letters"}`;
  const reason = able.reason ?? (letters.length > maximum ? `At most ${count(maximum)} at a time` : null);
  const send = () =>
    run(
      letters.map((letter, at) => async () => {
        const { task_id: taskId, task_name: name } = letter;
        const words = `Requeue ${name === null ? printable(taskId) : nameText(name)}`;
        const all = { id: runId, action: "requeue_dead_letter", words: "Requeue letters", total: letters.length };
        const told = toldInTurn(all, at + 1, { words, task: { engine, taskId } });
        const body = { engine, task_id: taskId, ...named };
        onRequeued(letter, (await issue.mutateAsync({ body, told })).id);
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
        agents: hasBegun ? able.agents.filter(({ id }) => id === named.agent_id) : able.agents,
        value: agentId,
        anyWords: "for each the one that reported it last",
        onChange: setChosen,
      }}
      request={{ error: failure, isLost: issue.isLost, isPending: isBusy }}
      reason={reason}
      nothing={made === 0 ? "Nothing was asked for." : "The rest was not asked for."}
      what={letters.length > 1 ? "the next of them" : "it"}
      act={isDone ? null : `Requeue ${made > 0 && !isBusy ? `the other ${count(letters.length - made)}` : many}`}
      leave={goesOn ? "Stop" : isDone ? "Close" : "Cancel"}
      onLeave={goesOn ? stop : leave}
      onSend={() => void send()}
      below={
        <>
          {able.agents.length === 0 || able.agents.some(({ id }) => id === toldBy) ? null : (
            <p>
              The agent that reported {letters.length === 1 ? "it" : "them"} is not available now. Another agent may
              watch a different server, where the same id is another task.
            </p>
          )}
          {made > 0 || isStopping ? (
            <p role="status">
              {count(made)} of {count(letters.length)} asked for.
              {isStopping ? " No more after the one that is on its way." : ""}{" "}
              <AppLink href={paths.commands(slug, { action: "requeue_dead_letter" })}>See how they end</AppLink>
            </p>
          ) : null}
        </>
      }
    >
      <p>The engine puts {letters.length === 1 ? "it" : "them"} back into the queue, to run again from the start.</p>
    </CommandDialog>
  );
}
