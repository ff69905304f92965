import type { TaskCommandBody } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { Dialog, dialogFoot } from "../../../ui/layers/Layers.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { taskQuery } from "../../tasks/queries.ts";
import { outcomeWords, refusalWords } from "../commands/words.ts";
import { AgentField, namedAgent } from "../requests/AgentField.tsx";
import { isOpen, useAble, useIssue, useKept } from "../requests/use-act.ts";
import { endedStates, useTaskReasons } from "./task-reasons.ts";

interface CancelDialogProps {
  slug: string;
  engine: string;
  taskId: string;
  onClose: () => void;
}

export function CancelDialog({ slug, engine, taskId, onClose }: CancelDialogProps) {
  const task = useQuery(taskQuery(slug, engine, taskId)).data;
  const ableNow = useAble(slug, { engine, capability: "cancel_task" });
  const { cancel: heldNow } = useTaskReasons(slug, { engine, state: task === null ? null : task?.state });
  const issue = useIssue(slug, (to, body: TaskCommandBody) => api.cancelTask(to, body));
  // The task may end before the answer is there, by what was asked for.
  const { able, reason } = useKept({ able: ableNow, reason: heldNow }, isOpen(issue));
  const [agentId, setAgentId] = useState("");
  const name = task ? nameText(task.name) : printable(taskId);
  const send = () =>
    issue.mutate(
      {
        body: { engine, task_id: taskId, ...namedAgent(able.agents, agentId) },
        told: { words: `Cancel ${name}`, task: { engine, taskId } },
      },
      { onSuccess: onClose },
    );
  return (
    <Dialog title={`Cancel ${name}`} onClose={onClose}>
      {endedStates.includes(task?.state ?? "") ? null : (
        <p>
          {task?.state === "started"
            ? "The task is running. Its engine is asked to stop it; what it has done by then stays done."
            : "The engine is asked to take the task out before it runs."}
        </p>
      )}
      <p className="t2">
        Task <span className="mono">{printable(taskId)}</span> of {printable(engine)}
      </p>
      <AgentField
        agents={able.agents}
        value={agentId}
        anyWords="the one that reported the task last"
        onChange={setAgentId}
      />
      {issue.isError ? (
        <Refusal>
          {outcomeWords(issue.isLost, "Nothing was asked for.")} {refusalWords(issue.error)}
        </Refusal>
      ) : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Let it go on
        </button>
        <ActButton isDanger error={issue.error} isBusy={issue.isPending} reason={reason} onAct={send}>
          Cancel the task
        </ActButton>
      </div>
    </Dialog>
  );
}
