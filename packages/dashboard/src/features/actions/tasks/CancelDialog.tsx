import type { TaskCommandBody } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { nameText, printable } from "../../../ui/time/format.ts";
import { taskQuery } from "../../task-data/index.ts";
import { namedAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useEligibleAgents, useFrozen, useIssue, useWhyNot } from "../requests/use-act.ts";
import { cancelRule, endedStates } from "./task-rules.ts";

interface CancelDialogProps {
  slug: string;
  engine: string;
  taskId: string;
  onClose: () => void;
}

export function CancelDialog({ slug, engine, taskId, onClose }: CancelDialogProps) {
  const task = useQuery(taskQuery(slug, engine, taskId)).data;
  const eligibleNow = useEligibleAgents(slug, { engine, capability: "cancel_task" });
  const reasonNow = useWhyNot(slug, cancelRule, { engine, state: task === null ? null : task?.state });
  const issue = useIssue(slug, (to, body: TaskCommandBody) => api.cancelTask(to, body));
  // The request may end the task before the response arrives.
  const { eligibility, reason } = useFrozen({ eligibility: eligibleNow, reason: reasonNow }, isOpen(issue));
  const [agentId, setAgentId] = useState("");
  const name = task ? nameText(task.name) : printable(taskId);
  const send = () =>
    issue.mutate(
      {
        body: { engine, task_id: taskId, ...namedAgent(eligibility.agents, agentId) },
        entry: { label: `Cancel ${name}`, task: { engine, taskId } },
      },
      { onSuccess: onClose },
    );
  return (
    <CommandDialog
      title={`Cancel ${name}`}
      onClose={onClose}
      agent={{
        agents: eligibility.agents,
        value: agentId,
        anyLabel: "Agent that last reported the task",
        onChange: setAgentId,
      }}
      request={issue}
      reason={reason}
      isDanger
      act="Cancel task"
      onSend={send}
    >
      {endedStates.includes(task?.state ?? "") ? null : (
        <p>
          {task?.state === "started"
            ? "The task is running. The engine is asked to stop it. Work it has already done is not undone."
            : "The engine is asked to remove the task before it runs."}
        </p>
      )}
      <p className="t2">
        Task <span className="mono">{printable(taskId)}</span> of {printable(engine)}
      </p>
    </CommandDialog>
  );
}
