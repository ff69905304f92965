import type { DeadLetter, TaskCommandBody } from "@svc/client";
import { useState } from "react";
import { api } from "../../api.ts";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { ActButton } from "../../ui/ActButton.tsx";
import { AppLink } from "../../ui/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { count, nameText, printable } from "../../ui/format.ts";
import { Dialog, dialogFoot } from "../../ui/Layers.tsx";
import { Refusal } from "../../ui/Refusal.tsx";
import { AgentField, namedAgent } from "../commands/AgentField.tsx";
import { useAble, useIssue } from "../commands/use-act.ts";
import { useInTurn } from "../commands/use-in-turn.ts";
import { refusalWords } from "../commands/words.ts";

/** Each is a command of its own. */
const maximum = 200;
/** More of them would only push everything else out of the tray. */
const mostInTray = 5;

interface RequeueDialogProps {
  slug: string;
  engine: string;
  letters: readonly DeadLetter[];
  /** Its command was made. */
  onRequeued: (letter: DeadLetter, commandId: string) => void;
  onClose: () => void;
  onDone: () => void;
}

/** Puts dead letters back into their queues, one command each. */
export function RequeueDialog({ slug, engine, letters: ticked, onRequeued, onClose, onDone }: RequeueDialogProps) {
  const [letters] = useState(ticked);
  const able = useAble(slug, { engine, capability: "requeue_dead_letter" });
  const issue = useIssue(slug, (to, body: TaskCommandBody) => api.requeueDeadLetter(to, body));
  const { made, isBusy, failure, isDone, run } = useInTurn();
  const [agentId, setAgentId] = useState("");
  const many = `${count(letters.length)} ${letters.length === 1 ? "letter" : "letters"}`;
  const reason = able.reason ?? (letters.length > maximum ? `At most ${count(maximum)} at a time` : null);
  const leave = isDone ? onDone : onClose;
  const send = () =>
    run(
      letters.map((letter) => async () => {
        const { task_id: taskId, task_name: name } = letter;
        const words = `Requeue ${name === null ? printable(taskId) : nameText(name)}`;
        const told = letters.length <= mostInTray ? { words, task: { engine, taskId } } : null;
        const body = { engine, task_id: taskId, ...namedAgent(able.agents, agentId) };
        onRequeued(letter, (await issue.mutateAsync({ body, told })).id);
      }),
    );
  return (
    <Dialog title={`Requeue ${many}`} onClose={leave}>
      <p>The engine puts {letters.length === 1 ? "it" : "them"} back into the queue, to run again from the start.</p>
      <AgentField
        agents={able.agents}
        value={agentId}
        anyWords="for each the one that reported it last"
        onChange={setAgentId}
      />
      {made > 0 ? (
        <p role="status">
          {count(made)} of {count(letters.length)} asked for.{" "}
          <AppLink href={paths.commands(slug) + stringifySearch({ action: "requeue_dead_letter" })}>
            See how they end
          </AppLink>
        </p>
      ) : null}
      {failure ? (
        <Refusal>
          {made === 0 ? "Nothing was asked for." : "The rest was not asked for."} {refusalWords(failure)}
        </Refusal>
      ) : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={leave}>
          {isDone ? "Done" : "Leave them"}
        </button>
        {isDone ? null : (
          <ActButton error={failure} isBusy={isBusy} reason={reason} onAct={() => void send()}>
            Requeue {many}
          </ActButton>
        )}
      </div>
    </Dialog>
  );
}
